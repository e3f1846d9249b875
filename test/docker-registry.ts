/** A registry of images of its own for a test, and small images to put there. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { Engine } from '../src/lab/container/engine.ts'

const START_TIMEOUT_MS = 20_000

export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:41123` */
  readonly address: string
  /** Paths of everything that it stores, by digest. */
  blobs(): Promise<ReadonlyMap<string, string>>
}

/** Starts Debian's docker-registry on a free port of 127.0.0.1. */
export async function startRegistry(): Promise<TestRegistry> {
  const dir = await mkdtemp(join(tmpdir(), 'vitest-parity-registry-'))
  const config = {
    version: 0.1,
    log: { level: 'info' },
    storage: { filesystem: { rootdirectory: dir }, delete: { enabled: true } },
    http: { addr: '127.0.0.1:0' },
  }
  const file = join(dir, 'config.yml')
  await writeFile(file, JSON.stringify(config))
  const child = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    await rm(dir, { recursive: true, force: true })
  }
  const listening = new Promise<string>((resolve, reject) => {
    child.once('error', error => reject(new Error(`install docker-registry: ${error.message}`)))
    child.once('close', () => reject(new Error('docker-registry ended')))
    createInterface({ input: child.stderr }).on('line', line => {
      const address = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    setTimeout(
      reject,
      START_TIMEOUT_MS,
      new Error(`docker-registry did not listen within ${START_TIMEOUT_MS} ms`),
    ).unref()
  })
  try {
    const address = await listening
    return { address, blobs: () => blobsIn(dir), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function blobsIn(dir: string): Promise<ReadonlyMap<string, string>> {
  const root = join(dir, 'docker/registry/v2/blobs/sha256')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const data = entries.filter(({ name }) => name === 'data')
  return new Map(data.map(({ parentPath }) => [`sha256:${parentPath.split('/').at(-1)}`, join(parentPath, 'data')]))
}

/** An image that nobody else has, of one file; returns its id. */
export async function rareImage(engine: Engine, tag: string): Promise<string> {
  const archive = pack()
  archive.entry({ name: 'content' }, randomBytes(4096))
  archive.finalize()
  const colon = tag.lastIndexOf(':')
  const told: NodeJS.ReadableStream = await engine.docker.importImage(Readable.from(archive), {
    repo: tag.slice(0, colon),
    tag: tag.slice(colon + 1),
  })
  await drained(engine, told)
  return (await engine.docker.getImage(tag).inspect()).Id
}

/** Pushes what has this tag; returns the digest that the registry gave it. */
export async function pushed(engine: Engine, tag: string): Promise<string> {
  const told = await engine.docker.getImage(tag).push({ authconfig: { username: '', password: '' } })
  const digest = (await drained(engine, told)).map(({ aux }) => aux?.Digest).find(found => found !== undefined)
  if (digest === undefined) throw new Error(`${tag} was not pushed`)
  return digest
}

/** Removes an image under every name that it has; one that is not there is fine. */
export async function forget(engine: Engine, id: string): Promise<void> {
  await engine.docker
    .getImage(id)
    .remove({ force: true })
    .catch(() => {})
}

interface Told {
  readonly aux?: { readonly Digest?: string }
}

function drained(engine: Engine, stream: NodeJS.ReadableStream): Promise<readonly Told[]> {
  return new Promise((resolve, reject) =>
    engine.docker.modem.followProgress(stream, (error, told: Told[]) =>
      error === null ? resolve(told) : reject(error),
    ),
  )
}
