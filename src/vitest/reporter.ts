import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node'
import { type Broker, openBroker } from '../lab/broker/server.ts'
import type { Verdict } from '../model.ts'
import { candidateIdOf } from '../pipeline/candidate-id.ts'
import { fold, type Report } from '../report/fold.ts'
import { writeReport } from '../report/json.ts'
import { terminalText } from '../report/terminal.ts'
import { type EventLog, newRunId, openEventLog } from '../run/events.ts'
import { type FileState, FileTable } from './file-table.ts'
import { type Interrupts, installInterrupts } from './interrupts.ts'
import { LiveLine } from './live-line.ts'
import { isSelected, isSelectedCase, refuseUpdate, widenPattern } from './selection.ts'
import { errorLine, type ParityProvided, PROJECT_NAME } from './state.ts'
import { crashedFiles, type FileFate, fileVerdict, isPoolError, testVerdict } from './sweep.ts'

const BRAND = Symbol.for('vitest-parity.reporter')

/** True also for an instance of a second copy of this module. */
export function isParityReporter(reporter: unknown): boolean {
  return typeof reporter === 'object' && reporter !== null && BRAND in reporter
}

/**
 * Judges the run: writes its events as they come, closes the count at its end, prints the report and decides the exit code.
 * It runs in the main process and is the one writer of `.parity/`.
 */
export default class ParityReporter implements Reporter {
  readonly [BRAND] = true
  #vitest: Vitest | null = null
  #configured: ParityProvided | null = null
  #provided: ParityProvided | null = null
  #log: EventLog | null = null
  #files: FileTable | null = null
  #selected = new Set<string>()
  #judged = new Set<string>()
  #suites = new Set<string>()
  #interrupts: Interrupts | null = null
  #live: LiveLine | null = null
  #broker: Broker | null = null

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    for (const project of vitest.projects) this.#provided = project.getProvidedContext().parity ?? this.#provided
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const vitest = this.#vitest
    if (vitest === null || this.#provided === null) return
    if (vitest.config.watch) process.exitCode = undefined // of the run before
    const own = specifications.filter(each => each.project.name === PROJECT_NAME)
    const explicit = isSelected(vitest.config.project) || (own.length > 0 && own.length === specifications.length)
    this.#log = null
    if (explicit) refuseUpdate(vitest)
    if (own.length > 0) await this.#openBroker(vitest)
    await this.#provide(vitest)
    if (own.length === 0 && !explicit) return
    const files = new FileTable(vitest, own)
    this.#files = files
    for (const known of [this.#selected, this.#judged, this.#suites]) known.clear()
    const root = vitest.config.root
    this.#log = openEventLog({ root, runId: newRunId(new Date()), now: () => new Date() })
    const shard = vitest.config.shard
    this.#log.append({
      type: 'run-started',
      run: {
        id: this.#log.runId,
        node: process.version,
        vitest: vitest.version,
        asOf: this.#provided.asOf,
        shard: shard === undefined ? null : `${shard.index}/${shard.count}`,
        explicit,
        allow: this.#provided.allow,
      },
    })
    this.#live = new LiveLine(vitest)
    if (vitest.config.mergeReports) return
    files.watch(this.#provided.watchdogMs, () => {
      this.onTestRunEnd([], [], 'interrupted')
      process.exit()
    })
    if (!vitest.config.watch) this.#interrupts ??= installInterrupts(vitest, () => this.#files?.pids() ?? [])
  }

  onTestModuleQueued(module: TestModule): void {
    const file = this.#files?.of(module)
    if (file == null) return
    file.startedAt = Date.now()
    file.heardAt = Date.now()
  }

  onTestModuleCollected(module: TestModule): void {
    const file = this.#files?.of(module)
    if (file == null || this.#log === null) return
    file.collected = true
    file.heardAt = Date.now()
    this.#appendSuites(module, file)
    this.#select([...module.children.allTests()], file)
  }

  /** Vitest calls it for every batch of updates, the heartbeats of the runner among them. */
  onTaskUpdate(packs: readonly (readonly [id: string, ...unknown[]])[]): void {
    this.#files?.heard(packs.map(([id]) => id))
  }

  onTestCaseResult(test: TestCase): void {
    const file = this.#files?.of(test.module)
    const { parity, parityCase } = test.meta()
    if (file == null || parity === undefined || parityCase === undefined) return
    this.#judge(test, testVerdict(test, this.#fate(file)))
  }

  onTestModuleEnd(module: TestModule): void {
    const file = this.#files?.of(module)
    if (file != null) file.ended = true
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason): void {
    const vitest = this.#vitest
    const log = this.#log
    const files = this.#files
    if (vitest === null || log === null || files === null) return
    files.unwatch()
    const interrupted = reason === 'interrupted'
    const crashed = new Set(crashedFiles(errors).flatMap(given => files.running(given)))
    for (const file of files.all()) {
      this.#sweepFile(files.moduleOf(file), file, { interrupted, crashed: crashed.has(file.id) })
    }
    this.#appendFailures(modules, errors)
    const vitestFailed = reason === 'failed' || (process.exitCode !== undefined && Number(process.exitCode) !== 0)
    log.append({ type: 'run-ended', reason: interrupted ? 'interrupted' : 'finished', vitestFailed })
    this.#close(fold(log.events), log)
  }

  /** Labs stay up between the runs of watch mode, and are gone with Vitest. */
  async #openBroker(vitest: Vitest): Promise<void> {
    this.#broker?.forget()
    if (this.#broker !== null || vitest.config.mergeReports) return
    // where no socket can be had, each suite boots its own
    const broker = await openBroker().catch(() => null)
    this.#broker = broker
    if (broker !== null) vitest.onClose(() => broker[Symbol.asyncDispose]())
  }

  /** The date and the candidate may be others in each run of watch mode. */
  async #provide(vitest: Vitest): Promise<void> {
    for (const project of vitest.projects) {
      const configured = project.getProvidedContext().parity
      if (configured === undefined) continue
      this.#configured ??= configured
      const asOf = this.#configured.asOf || new Date().toISOString().slice(0, 10)
      const candidateId = await candidateIdOf(configured.root)
      this.#provided = { ...this.#configured, asOf, candidateId, labs: this.#broker?.address ?? null }
      project.provide('parity', this.#provided)
    }
  }

  #close(report: Report, log: EventLog): void {
    const vitest = this.#vitest
    if (vitest === null) return
    this.#live?.clear()
    const color = process.stderr.isTTY === true && !process.env.NO_COLOR
    process.stderr.write(terminalText(report, { color }))
    const failure = log.writeError() ?? writeReport(vitest.config.root, report)
    if (failure !== null) {
      process.stderr.write(
        ` parity  the report could not be written to .parity/ (${failure}); the verdicts above stand\n`,
      )
    }
    process.exitCode = report.summary.exitCode
    this.#log = null
  }

  #appendSuites(module: TestModule, file: FileState): void {
    for (const { context } of module.meta().paritySuites ?? []) {
      const key = `${file.path}\0${context.feature}`
      if (this.#suites.has(key)) continue
      this.#suites.add(key)
      this.#log?.append({ type: 'suite', file: file.path, context })
    }
  }

  #select(tests: readonly TestCase[], file: FileState): void {
    const pattern = this.#vitest?.getGlobalTestNamePattern()
    const widened = pattern === undefined ? null : widenPattern(pattern)
    const fresh = tests.filter(test => !this.#selected.has(test.id) && isSelectedCase(test, widened))
    if (fresh.length === 0) return
    for (const test of fresh) this.#selected.add(test.id)
    this.#live?.update(this.#selected.size, this.#judged.size)
    this.#log?.append({
      type: 'selected',
      file: file.path,
      cases: fresh.map(test => ({
        key: test.id,
        feature: test.meta().parityCase?.feature ?? '',
        case: test.meta().parityCase?.case ?? test.name,
        test: test.fullName.replaceAll(' > ', ' '),
      })),
    })
  }

  #judge(test: TestCase, verdict: Verdict): void {
    if (this.#judged.has(test.id)) return
    this.#judged.add(test.id)
    this.#log?.append({ type: 'verdict', key: test.id, verdict })
    this.#live?.update(this.#selected.size, this.#judged.size)
    for (const message of test.meta().parityFindings ?? []) {
      this.#log?.append({ type: 'failure', where: `${verdict.feature} ${verdict.case}`, message })
    }
  }

  #fate(file: FileState, end?: { readonly interrupted: boolean; readonly crashed: boolean }): FileFate {
    return {
      path: file.path,
      root: file.root,
      asOf: this.#provided?.asOf ?? '',
      began: file.startedAt !== null,
      stuck: file.stuck,
      interrupted: end?.interrupted ?? false,
      crashed: end?.crashed ?? false,
    }
  }

  /** What the end of the run shows of a file: every selected test, and the file itself where it has none, gets its verdict. */
  #sweepFile(module: TestModule | undefined, file: FileState, end: { interrupted: boolean; crashed: boolean }): void {
    const fate = this.#fate(file, end)
    const tests = module === undefined ? [] : [...module.children.allTests()]
    if (module !== undefined) this.#appendSuites(module, file)
    this.#select(tests, file)
    for (const test of tests) if (this.#selected.has(test.id)) this.#judge(test, testVerdict(test, fate))
    const alone = tests.length === 0 ? fileVerdict(module, fate) : null
    if (alone !== null) {
      const key = `file ${file.path}`
      const { feature, case: name } = alone
      this.#log?.append({ type: 'selected', file: file.path, cases: [{ key, feature, case: name, test: name }] })
      this.#log?.append({ type: 'verdict', key, verdict: alone })
    }
    for (const { context, gates } of module?.meta().paritySuites ?? []) {
      for (const result of gates) this.#log?.append({ type: 'gate', feature: context.feature, result })
    }
    if (module === undefined || tests.length === 0) return
    // what fails beside the tests: a hook after them, an obsolete snapshot
    const around = [module, ...module.children.allSuites()].flatMap(each =>
      each.errors().map(error => ({ each, error })),
    )
    for (const { each, error } of around) {
      const where = each.type === 'suite' ? `${file.path} ${each.fullName}` : file.path
      this.#log?.append({ type: 'failure', where, message: errorLine(error, fate.root) })
    }
  }

  #appendFailures(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const root = this.#vitest?.config.root ?? ''
    for (const module of modules) {
      if (module.project.name === PROJECT_NAME || module.state() !== 'failed') continue
      const failed = [...module.children.allTests('failed')].length
      const message = failed > 0 ? `${failed} failed` : errorLine(module.errors()[0] ?? 'failed', root)
      this.#log?.append({
        type: 'failure',
        where: `${module.project.name || 'vitest'} ${module.relativeModuleId}`,
        message,
      })
    }
    for (const error of errors) {
      const own = isPoolError(error) && crashedFiles([error]).every(given => given.every(id => this.#files?.has(id)))
      if (own || this.#vitest?.config.dangerouslyIgnoreUnhandledErrors) continue
      this.#log?.append({ type: 'failure', where: 'unhandled', message: errorLine(error, root) })
    }
  }
}
