/** What the containers of a lab print, and a shell in one of them. */
import { PassThrough } from 'node:stream'
import { openEngine } from '../lab/container/engine.ts'
import { containersOf } from './lab-lifecycle.ts'

const TAIL = 200
/** What a shell in a container says when it cannot be started. */
const NO_SUCH_PROGRAM = [126, 127]

/** The last 200 lines that each service printed, with its name before each. */
export async function labLogs(o: {
  readonly lab: string
  readonly service: string | null
  readonly signal: AbortSignal
}): Promise<readonly { readonly service: string; readonly line: string }[]> {
  const containers = await containersOf(o)
  const { docker } = await openEngine({ signal: o.signal })
  const lines = await Promise.all(
    containers.map(async ({ service, id }) => {
      const printed = await docker.getContainer(id).logs({ stdout: true, stderr: true, tail: TAIL, follow: false })
      const text = textOf(printed)
      return text === ''
        ? []
        : text
            .replace(/\n$/, '')
            .split('\n')
            .map(line => ({ service, line }))
    }),
  )
  return lines.flat()
}

/** The text of the frames of both streams, in the order they came: a header of 8 bytes with the length before each. */
export function textOf(frames: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= frames.length; ) {
    const size = frames.readUInt32BE(at + 4)
    parts.push(frames.subarray(at + 8, at + 8 + size))
    at += 8 + size
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * A shell in the container of a service, as the user that its program runs as, between this terminal and it. Resolves to
 * its exit code; null when the image holds no shell.
 */
export async function labShell(o: {
  readonly lab: string
  readonly service: string | null
  readonly signal: AbortSignal
}): Promise<number | null> {
  const [container] = await containersOf(o)
  if (container === undefined) return null
  const { docker } = await openEngine({ signal: o.signal })
  const tty = process.stdin.isTTY === true
  const shell = await docker.getContainer(container.id).exec({
    Cmd: ['sh'],
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: tty,
  })
  const stream = await shell.start({ hijack: true, stdin: true, Tty: tty })
  const stop = (): void => void stream.destroy()
  o.signal.addEventListener('abort', stop)
  try {
    await between(stream, tty, (from, out, err) => docker.modem.demuxStream(from, out, err))
  } finally {
    o.signal.removeEventListener('abort', stop)
  }
  const { ExitCode } = await shell.inspect()
  return ExitCode === null || NO_SUCH_PROGRAM.includes(ExitCode) ? null : ExitCode
}

type Demux = (from: NodeJS.ReadableStream, out: PassThrough, err: PassThrough) => void

async function between(stream: NodeJS.ReadWriteStream, tty: boolean, demux: Demux): Promise<void> {
  const ended = new Promise<void>(resolve => {
    stream.once('end', resolve)
    stream.once('close', resolve)
    stream.once('error', () => resolve())
  })
  if (tty) {
    process.stdin.setRawMode(true)
    stream.pipe(process.stdout, { end: false })
  } else {
    const [out, err] = [new PassThrough(), new PassThrough()]
    out.pipe(process.stdout, { end: false })
    err.pipe(process.stderr, { end: false })
    demux(stream, out, err)
  }
  process.stdin.pipe(stream)
  try {
    await ended
  } finally {
    process.stdin.unpipe(stream)
    if (tty) process.stdin.setRawMode(false)
    process.stdin.pause()
    process.stdin.unref?.()
  }
}
