// The candidate: the rewrite that has to behave like labs/hello-legacy. In your project this is your own service.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const GREETINGS: Record<string, { plain: string; formal: string }> = {
  en: { plain: 'Hello', formal: 'Good day' },
  de: { plain: 'Hallo', formal: 'Guten Tag' },
  fr: { plain: 'Bonjour', formal: 'Bonjour, chère cliente, cher client' },
}

class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

function decodeName(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch (cause) {
    throw Object.assign(new Refusal(400, 'E_ENCODING', 'the name is not percent-encoded'), { cause })
  }
}

function greet(name: string, query: URLSearchParams): object {
  if (name === '') throw new Refusal(400, 'E_NAME', 'a name is missing')
  if (name.length > 40) throw new Refusal(414, 'E_LONG', 'a name has at most 40 letters')
  const language = query.getAll('lang').at(-1) ?? 'en'
  const words = Object.hasOwn(GREETINGS, language) ? GREETINGS[language] : undefined
  if (words === undefined) throw new Refusal(422, 'E_LANGUAGE', `no greeting in ${language}`)
  const greeting = query.get('formal') === '1' ? `${words.formal}, ${name}.` : `${words.plain}, ${name}!`
  return { greeting, language, width: name.length / 10, servedAt: new Date().toISOString() }
}

function answer(request: IncomingMessage): object {
  const [path = '/', search = ''] = (request.url ?? '/').split('?')
  if (request.method !== 'GET') throw new Refusal(405, 'E_METHOD', 'only GET')
  if (path === '/languages') return { languages: Object.keys(GREETINGS), formal: true }
  if (path.startsWith('/hello/')) return greet(decodeName(path.slice('/hello/'.length)), new URLSearchParams(search))
  throw new Refusal(404, 'E_ROUTE', `no ${path}`)
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  let status = 200
  let body: object
  try {
    body = answer(request)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    status = error.status
    body = { error: { code: error.code, message: error.message } }
  }
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ ...body, requestId: randomUUID() }))
}

export async function startHello(options: { readonly port: number; readonly signal: AbortSignal }) {
  const server = createServer(respond)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: options.port, signal: options.signal }, resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
