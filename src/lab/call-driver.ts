import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Installed } from './install.ts'
import { LabFailure } from './lab-failure.ts'
import type { CalledService, ProcessLab } from './lab-file.ts'
import type { LabDrive, RunningLab } from './process-driver.ts'
import { environment, provenanceOf, stage } from './staged.ts'
import { describeExit, type Supervised, supervise } from './supervise.ts'

/** Waits for ever: as long as it runs, the copy of the lab stays. */
const KEEPER = [process.execPath, '--eval', 'setInterval(() => {}, 2 ** 30)'] as const

/**
 * A lab whose service is called: a copy of its folder, and the environment that its program is run in, once for each
 * step. The copy and whatever the program leaves running are gone with this process, however it ends: a supervised keeper
 * stands for them.
 */
export class CallLab implements RunningLab {
  readonly provenance: Readonly<Record<string, unknown>>
  readonly evidence = null
  clock: string | null = null
  #drive: LabDrive
  readonly #o: {
    readonly lab: ProcessLab
    readonly service: CalledService
    readonly installed: Installed | null
    readonly signal: AbortSignal
  }
  #keeper: Supervised | null = null
  #askedToStop: Supervised | null = null
  readonly #onAbort = (): void => void this.#stop()

  constructor(o: {
    readonly lab: ProcessLab
    readonly service: CalledService
    readonly installed: Installed | null
    readonly signal: AbortSignal
  }) {
    this.#o = o
    this.#drive = { kind: 'command', argv: o.service.call, cwd: o.lab.dir, env: {} }
    this.provenance = provenanceOf(o.lab)
    o.signal.addEventListener('abort', this.#onAbort)
  }

  get drive(): LabDrive {
    return this.#drive
  }

  logs(): string {
    return ''
  }

  crashed(): string | null {
    if (this.#keeper === this.#askedToStop) return null
    const exit = this.#keeper?.exit() ?? null
    return exit === null ? null : `the copy that the legacy runs in is gone: its keeper ${describeExit(exit)}`
  }

  async reset(o: { readonly clock?: string | null } = {}): Promise<void> {
    const clock = o.clock === undefined ? this.clock : o.clock
    if (this.#o.service.reset === 'none' && clock === this.clock && this.crashed() === null) return
    await this.#stop()
    await this.boot(clock)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#o.signal.removeEventListener('abort', this.#onAbort)
    await this.#stop()
  }

  async boot(clock: string | null): Promise<void> {
    const { lab, service, installed } = this.#o
    const dir = await stage(lab, installed)
    const tmp = join(dir, 'tmp')
    const env = environment(lab, { dir, clock, installed, own: { TEMP: tmp, TMP: tmp, ...service.env } })
    const keeper = await supervise({ argv: KEEPER, cwd: dir, env: {}, removeDirs: [dir], onLine: () => {} })
    if ('error' in keeper) {
      const what = `lab ${lab.file.id}: its keeper cannot be started (${keeper.error})`
      throw new LabFailure('lab-boot', what, 'try again when fewer programs run')
    }
    this.#keeper = keeper
    const cwd = join(dir, 'lab')
    const [program] = service.call
    if (!(await canRun(program, { cwd, path: env.PATH ?? '' }))) {
      await this.#stop()
      const what = `lab ${lab.file.id}: ${program} cannot be run: there is no such program`
      const remedy = `install ${program}, or name it in npm: of lab.yaml; looked in ${env.PATH}`
      throw new LabFailure('dependency-missing', what, remedy)
    }
    this.clock = clock
    // By its mark the keeper finds what the program left running, and ends it.
    this.#drive = { kind: 'command', argv: service.call, cwd, env: { ...env, PARITY_LAB_MARK: keeper.mark } }
  }

  async #stop(): Promise<void> {
    this.#askedToStop = this.#keeper
    await this.#keeper?.stop()
  }
}

/** Whether a program is there and may be run: on PATH, or from the folder it runs in when its name has a slash. */
async function canRun(program: string, at: { readonly cwd: string; readonly path: string }): Promise<boolean> {
  const places = isAbsolute(program)
    ? [program]
    : program.includes('/')
      ? [join(at.cwd, program)]
      : at.path.split(delimiter).map(folder => join(folder, program))
  for (const place of places) {
    const runs = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (runs) return true
  }
  return false
}
