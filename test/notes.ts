/** A service that keeps notes, as a lab and as a rewrite, in a project of its own: what tests of state are made with. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeProject, type Project, source } from './project.ts'

const CLOCK = '2026-01-02T03:04:05Z'

/** The legacy: three notes, of which a reset takes back what was added. */
const APP = `
const http = require('node:http')
const now = process.env.PARITY_CLOCK
const seed = [{ id: 1, text: 'milk' }, { id: 2, text: 'bread' }, { id: 3, text: 'salt' }]
let notes = [...seed]
http.createServer((request, response) => {
  const parts = []
  request.on('data', chunk => parts.push(chunk))
  request.on('end', () => {
    const answer = (status, value) => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (request.url === '/reset') {
      notes = [...seed]
      return response.writeHead(204).end()
    }
    if (request.url === '/day') return answer(200, { day: now.slice(0, 10) })
    if (request.url === '/notes' && request.method === 'POST') {
      const note = { id: notes.length + 1, text: JSON.parse(Buffer.concat(parts).toString()).text }
      notes.push(note)
      return answer(201, note)
    }
    if (request.url === '/notes') return answer(200, notes)
    const found = notes.find(note => '/notes/' + note.id === request.url)
    answer(found ? 200 : 404, found || { error: 'no such note' })
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
`

const ask = (method: string, path: string, body?: object): object => {
  const json = body === undefined ? {} : { headers: [['Content-Type', 'application/json']], body: { json: body } }
  return { request: { method, path, headers: [], ...json } }
}
const input = (covers: string, steps: readonly object[], now?: string): string =>
  JSON.stringify({ covers: [covers], ...(now === undefined ? {} : { now }), steps })

/** The cases: two that add, one that asks for the day of an instant of its own. */
export const INPUTS: Readonly<Record<string, string>> = {
  '001-happy-list': input('outputs.notes', [ask('GET', '/notes')]),
  '002-happy-add': input('outputs.notes', [ask('POST', '/notes', { text: 'tea' }), ask('GET', '/notes')]),
  '003-happy-add-other': input('outputs.notes', [ask('POST', '/notes', { text: 'rice' }), ask('GET', '/notes/4')]),
  '010-error-unknown': input('errors.unknown', [ask('GET', '/notes/99')]),
  '020-edge-leap-day': input('edges.day', [ask('GET', '/day')], '2028-02-29T00:00:00Z'),
}

export interface NotesProject {
  /** Default `case`. */
  readonly reset?: 'none' | 'suite' | 'case'
  /** Default `001-happy-list`; null for none. */
  readonly probe?: string | null
  /** `reset:` of the lab. Default: POST /reset. */
  readonly labReset?: string
  /** In place of the source of the legacy. */
  readonly app?: string
  /** In place of the cases. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Files of suites, by path. Default: none. */
  readonly suites?: Readonly<Record<string, string>>
  readonly name?: string
}

export function notesProject(o: NotesProject = {}): Project {
  const probe = o.probe === undefined ? '001-happy-list' : o.probe
  const inputs = Object.entries(o.inputs ?? INPUTS).map(([name, text]) => [`parity/notes/inputs/${name}.json`, text])
  return makeProject({
    name: o.name ?? 'notes',
    parity: `{ asOf: '2026-12-01' }`,
    config: `resolve: { alias: [{ find: /^vitest-parity$/, replacement: '${source('src/index.ts')}' }] }`,
    files: {
      'labs/notes-legacy/app.cjs': o.app ?? APP,
      'labs/notes-legacy/lab.yaml': `id: notes-legacy
claim: notes in memory
revision: notes-1
driver: process
isolation: none
clock: "${CLOCK}"
services:
  app:
    command: [node, app.cjs, "\${port}"]
    ready: { http: GET /notes, timeoutMs: 10000 }
    reset: ${o.labReset ?? '{ http: POST /reset }'}
`,
      'parity/notes/contract.yaml': `feature: notes
lab: notes-legacy
revision: notes-1
sends: [POST /notes]
reset: ${o.reset ?? 'case'}
${probe === null ? '' : `probe: ${probe}\n`}outputs: { notes: ['$[*].id', '$[*].text', $.id, $.text] }
errors: { unknown: [$.error] }
edges: { day: a day begins at midnight UTC }
`,
      'tolerance/notes.yaml': '{}\n',
      ...Object.fromEntries(inputs),
      ...o.suites,
    },
  })
}

/** Source of a suite whose candidate runs already: its resets say which worker asks for them. */
export function suiteByUrl(url: string): string {
  return `import { describeParity, http } from 'vitest-parity'
const url = '${url}'
describeParity('notes', {
  candidate: http(url),
  async reset({ clock }) {
    await fetch(\`\${url}/reset?clock=\${clock}&by=\${process.pid}\`, { method: 'POST' })
  },
})
`
}

/** A running rewrite. */
export interface Notes {
  readonly url: string
  /** Requests and resets in the order they came: `POST /notes`, `reset at 2026-01-02T03:04:05Z`. */
  readonly seen: readonly string[]
  /** Puts the first state back, at an instant. */
  reset(clock: string | null): void
  [Symbol.asyncDispose](): Promise<void>
}

interface Note {
  readonly id: number | string
  readonly text: string
}

export interface NotesOptions {
  readonly clock: string | null
  /** Where it keeps its notes. Default: in the instance. */
  readonly store?: Note[]
  /** Makes an id of a number. Default: as it is. */
  readonly idOf?: (count: number) => number | string
  /** Awaited before each answer. Default: nothing. */
  readonly before?: () => Promise<void>
  /** What the list answers. Default: the notes. */
  readonly list?: (notes: readonly Note[]) => unknown
}

export const seedNotes = (): Note[] => [
  { id: 1, text: 'milk' },
  { id: 2, text: 'bread' },
  { id: 3, text: 'salt' },
]

/** Starts the rewrite. It does what the legacy does, unless told otherwise. */
export async function startNotes(o: NotesOptions): Promise<Notes> {
  const store = o.store ?? seedNotes()
  const seen: string[] = []
  let clock = o.clock
  const respond = (request: IncomingMessage, body: string): readonly [number, unknown] => {
    const { method, url = '/' } = request
    seen.push(`${method} ${url}`)
    if (url.startsWith('/reset?')) {
      const given = new URL(url, 'http://notes.test').searchParams
      clock = given.get('clock')
      store.splice(0, Number.POSITIVE_INFINITY, ...seedNotes())
      return [200, {}]
    }
    if (url === '/day') return [200, { day: clock?.slice(0, 10) }]
    if (url === '/notes' && method === 'POST') {
      const note = { id: (o.idOf ?? Number)(store.length + 1), text: JSON.parse(body).text }
      store.push(note)
      return [201, note]
    }
    if (url === '/notes') return [200, o.list?.(store) ?? store]
    const found = store.find(note => `/notes/${note.id}` === url)
    return found === undefined ? [404, { error: 'no such note' }] : [200, found]
  }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    await o.before?.()
    const [status, value] = respond(request, body)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    reset(at) {
      seen.push(`reset at ${at}`)
      clock = at
      store.splice(0, Number.POSITIVE_INFINITY, ...seedNotes())
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
