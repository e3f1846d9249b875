import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the legacy starts from. */
const SEED = fileURLToPath(new URL('../../../labs/json-server-012/db.json', import.meta.url))

/** A server over the database in `file`. */
export interface Database {
  readonly answer: RequestListener
  /** Resolves once everything is written. */
  settled(): Promise<unknown>
}

/**
 * Serves a fresh copy of the seed on a free port of 127.0.0.1 and says its URL to the parent process. At each `reset`
 * the parent gets another copy behind the same URL. It ends when the parent is gone.
 */
export async function serve(open: (file: string) => Promise<Database>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parity-json-server-'))
  process.chdir(folder) // a folder named public beside the database would be served
  let copies = 0
  const fresh = async (): Promise<Database> => {
    copies += 1
    const file = join(folder, `db-${copies}.json`)
    await copyFile(SEED, file)
    return open(file)
  }
  let current = await fresh()
  const server = createServer((request, response) => current.answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const say = (text: string): void => void process.send?.(text)
  process.on('message', async () => {
    await current.settled()
    current = await fresh()
    say('reset')
  })
  const end = async (): Promise<void> => {
    await current.settled()
    await rm(folder, { recursive: true, force: true })
    process.exit()
  }
  process.once('disconnect', end)
  process.once('SIGTERM', end)
  say(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
