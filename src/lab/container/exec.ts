import type { Container } from 'dockerode'
import { within } from '../supervise.ts'
import { lineDemuxer } from './logs.ts'

const OUTPUT_LINES_MAX = 200

/** How a command in a container ended. */
export interface Executed {
  /** Null: it had not ended within the bound. */
  readonly exitCode: number | null
  /** Its last lines, of both streams. */
  readonly output: string
}

/** Runs a command in a running container, as the user and with the variables of that container. Never waits longer than `timeoutMs`. */
export async function execute(
  container: Container,
  o: {
    readonly command: readonly string[]
    readonly timeoutMs: number
    /** Of the output. Default: 200. */
    readonly linesMax?: number
  },
): Promise<Executed> {
  const lines: string[] = []
  let open: NodeJS.ReadableStream | null = null
  const run = async (): Promise<number | null> => {
    const exec = await container.exec({ Cmd: [...o.command], AttachStdout: true, AttachStderr: true })
    const stream = await exec.start({ hijack: false, stdin: false })
    open = stream
    const demuxer = lineDemuxer(line => {
      if (lines.push(line) > (o.linesMax ?? OUTPUT_LINES_MAX)) lines.shift()
    })
    await new Promise<void>((resolve, reject) => {
      stream.on('data', chunk => demuxer.take(chunk))
      stream.once('end', resolve)
      stream.once('close', resolve)
      stream.once('error', reject)
    })
    demuxer.end()
    return (await exec.inspect()).ExitCode
  }
  const running = run()
  // What fails after the bound has nobody to be told.
  running.catch(() => {})
  const exitCode = await within(running, o.timeoutMs)
  const stream: unknown = open
  if (exitCode === null && typeof stream === 'object' && stream !== null && 'destroy' in stream) {
    if (typeof stream.destroy === 'function') stream.destroy()
  }
  return { exitCode, output: lines.join('\n') }
}
