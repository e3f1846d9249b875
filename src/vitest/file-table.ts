import { relative } from 'node:path'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import { PROJECT_NAME } from './state.ts'
import { stuckWorkers, type Watched } from './watchdog.ts'

/** One file of the parity project during a run. */
export interface FileState {
  /** Absolute, as Vitest names it. */
  readonly id: string
  readonly root: string
  /** Below the root, with `/`. */
  readonly path: string
  readonly specification: TestSpecification
  /** Of the worker it runs in, once that is known. */
  pid: number | null
  startedAt: number | null
  heardAt: number
  collected: boolean
  ended: boolean
  /** Why its worker was ended; null when it was not. */
  stuck: string | null
}

/** The files of the parity project in one run, and the watch over the workers they run in. */
export class FileTable {
  readonly #files: ReadonlyMap<string, FileState>
  readonly #vitest: Vitest
  #watchdog: NodeJS.Timeout | null = null

  constructor(vitest: Vitest, specifications: readonly TestSpecification[]) {
    this.#vitest = vitest
    this.#files = new Map(specifications.map(each => [each.moduleId, fileState(each)]))
  }

  all(): FileState[] {
    return [...this.#files.values()]
  }

  has(id: string): boolean {
    return this.#files.has(id)
  }

  /** The file that a module is; null for one of another project. */
  of(module: TestModule): FileState | null {
    return module.project.name === PROJECT_NAME ? (this.#files.get(module.moduleId) ?? null) : null
  }

  /** What Vitest knows of a file; undefined as long as no worker began with it. */
  moduleOf(file: FileState): TestModule | undefined {
    if (file.specification.testModule !== undefined) return file.specification.testModule
    const modules = this.#vitest.state.getTestModules()
    return modules.find(each => each.moduleId === file.id && each.project.name === PROJECT_NAME)
  }

  /** Takes note of an update from the workers; `tasks` are the ids that it is about. */
  heard(tasks: readonly string[]): void {
    for (const file of this.#files.values()) {
      const module = this.moduleOf(file)
      if (module === undefined || !tasks.some(task => task === module.id || task.startsWith(`${module.id}_`))) continue
      file.heardAt = Date.now()
      file.pid = module.meta().parityPid ?? file.pid
    }
  }

  /** Of the files that a dead worker was given, those that it ran when it died; the others were queued behind. */
  running(given: readonly string[]): string[] {
    const open = given.filter(id => this.#files.get(id)?.ended === false)
    const began = open.filter(id => this.#files.get(id)?.startedAt !== null)
    return began.length > 0 ? began : open.slice(0, 1)
  }

  /** Workers that still run a file. */
  pids(): number[] {
    return this.all().flatMap(file => (file.pid === null || file.ended ? [] : [file.pid]))
  }

  /** Ends workers that give no sign of life. A thread cannot be ended alone: for one `abandon` is called. */
  watch(boundMs: number, abandon: () => void): void {
    if (this.#vitest.config.inspector.enabled) return // a debugger may stand still
    const look = (): void => {
      for (const { file: id, pid, message } of stuckWorkers(this.#watched(), Date.now(), boundMs)) {
        const file = this.#files.get(id)
        if (file !== undefined) file.stuck = message
        if (pid === process.pid) abandon()
        else process.kill(pid, 'SIGKILL')
      }
    }
    this.#watchdog = setInterval(look, Math.min(1_000, boundMs / 4)).unref()
  }

  unwatch(): void {
    if (this.#watchdog !== null) clearInterval(this.#watchdog)
    this.#watchdog = null
  }

  #watched(): Watched[] {
    return this.all().flatMap(file => {
      if (file.startedAt === null || file.ended || file.stuck !== null) return []
      const { id, pid, collected, startedAt, heardAt } = file
      return [{ file: id, pid, collected, startedAt, heardAt }]
    })
  }
}

function fileState(specification: TestSpecification): FileState {
  const { root } = specification.project.config
  return {
    id: specification.moduleId,
    root,
    path: relative(root, specification.moduleId).replaceAll('\\', '/'),
    specification,
    pid: null,
    startedAt: null,
    heardAt: Date.now(),
    collected: false,
    ended: false,
    stuck: null,
  }
}
