/** json-server 1.x as its command line sets it up: `json-server db.json`, without watching the file. */
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { serve } from '../../json-server/candidate/host.ts'

interface App {
  attach: RequestListener
}

interface Low {
  read(): Promise<void>
  write(): Promise<void>
}

type Class<A extends unknown[], T> = new (...given: A) => T

const load = createRequire(import.meta.url)
const fromServer = createRequire(load.resolve('json-server-1/lib/app.js'))
const { createApp }: { createApp(db: Low, options: object): App } = load('json-server-1/lib/app.js')
const { NormalizedAdapter }: { NormalizedAdapter: Class<[unknown], object> } = load(
  'json-server-1/lib/adapters/normalized-adapter.js',
)
const { Observer }: { Observer: Class<[unknown], object> } = load('json-server-1/lib/adapters/observer.js')
const { Low }: { Low: Class<[unknown, object], Low> } = fromServer('lowdb')
const { JSONFile }: { JSONFile: Class<[string], object> } = fromServer('lowdb/node')

await serve(async file => {
  const db = new Low(new Observer(new NormalizedAdapter(new JSONFile(file))), {})
  await db.read()
  const app = createApp(db, { logger: false, static: [] })
  return { answer: (request, response) => app.attach(request, response), settled: () => db.write() }
})
