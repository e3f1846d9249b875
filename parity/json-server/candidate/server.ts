/** json-server 0.17 as its command line sets it up: `json-server --quiet db.json`. */
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { serve } from './host.ts'

interface Lowdb {
  readonly _: object
  write(): Promise<unknown>
}

interface App {
  (...given: Parameters<RequestListener>): void
  use(handler: unknown): void
}

interface JsonServer {
  create(): App
  defaults(options: { readonly logger: boolean; readonly bodyParser: boolean }): unknown
  router(db: Lowdb): { readonly db: Lowdb }
}

const load = createRequire(import.meta.url)
const jsonServer: JsonServer = load('json-server-017')
const open: (file: string) => Promise<Lowdb> = load('json-server-017/lib/cli/utils/load.js')

await serve(async file => {
  const db = await open(file)
  const app = jsonServer.create()
  app.use(jsonServer.defaults({ logger: false, bodyParser: true }))
  const router = jsonServer.router(db)
  Object.assign(router.db._, { id: 'id' })
  app.use(router)
  return { answer: (request, response) => app(request, response), settled: () => db.write() }
})
