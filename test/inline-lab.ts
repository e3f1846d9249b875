/** Labs of containers for tests: written as lab.yaml, with the image of the tools as the image of every service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../src/lab/container/engine.ts'
import { ensureToolImage } from '../src/lab/container/images.ts'
import type { ContainerLab } from '../src/lab/container/spec.ts'
import { loadLab } from '../src/lab/lab-file.ts'

const TAG = 'docker.io/library/node:24-alpine'

/** Words that run a script of Node in the image of the tools. */
export function node(script: string): string[] {
  return ['/usr/local/bin/node', '--eval', script]
}

/** A server that answers every request with what `body`, an expression, comes to. */
export function server(body: string, port = 3000): string[] {
  return node(`require('http').createServer((request, response) => response.end(String(${body}))).listen(${port})`)
}

const READY = { http: 'GET /', status: 200, timeoutMs: 20_000 }

/** Writes a lab whose services are `services`, each on port 3000 and ready when GET / answers 200 unless it says otherwise. */
export async function inlineLab(
  engine: Engine,
  services: Readonly<Record<string, object>>,
  more: object = {},
): Promise<ContainerLab & Disposable> {
  const tool = await ensureToolImage(engine, { signal: AbortSignal.timeout(120_000), onLog: () => {} })
  const dir = mkdtempSync(join(tmpdir(), 'docker-lab-'))
  const image = { tag: TAG, digest: null }
  const file = {
    id: 'inline',
    claim: 'what a test says',
    revision: 'inline-1',
    driver: 'container',
    isolation: 'internal',
    clock: '2026-01-02T03:04:05Z',
    tz: 'UTC',
    locale: 'C.UTF-8',
    drive: 'app',
    services: Object.fromEntries(
      Object.entries(services).map(([name, service]) => [
        name,
        { image, port: 3000, ready: READY, limits: { memoryMb: 128 }, ...service },
      ]),
    ),
    ...more,
  }
  const pin = { tag: TAG, digest: null, id: tool.runId, recipe: null, platform: engine.platform }
  const images = Object.fromEntries(
    Object.entries(services).flatMap(([name, service]) => ('image' in service ? [] : [[name, pin]])),
  )
  // Every JSON document is one of YAML.
  writeFileSync(join(dir, 'lab.yaml'), JSON.stringify(file))
  writeFileSync(join(dir, 'lab.lock.yaml'), JSON.stringify({ format: 1, images }))
  const lab = await loadLab(dir)
  if (lab.driver !== 'container') throw new Error('not a lab of containers')
  return { ...lab, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) }
}
