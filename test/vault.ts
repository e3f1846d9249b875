/** A service that asks who calls, and that repeats credentials wherever it can: as legacy, in a lab, and as its rewrite. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { http, type Target } from '../src/replay/target.ts'
import { makeProject, type Project, source } from './project.ts'

export const PASSWORD = 'open-sesame/0815'
export const KEY = 'k-planted-4711'
/** Stands in every token that a login gives. */
export const MARK = 'c0ffee'
export const ENV = { PARITY_VAULT_PASSWORD: PASSWORD, PARITY_VAULT_KEY: KEY }

/**
 * Source of a program that serves the vault on the port of its argument. `change` is put in front of what it answers a
 * request with: `url`, `token` and `response` are there.
 */
export function vaultSource(change = ''): string {
  return `const http = require('node:http'), zlib = require('node:zlib'), crypto = require('node:crypto')
const tokens = new Map()
const json = (response, value, status = 200, headers = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}
const answer = (request, response, body) => {
  const { url, headers } = request
  const token = (headers.authorization || '').replace('Bearer ', '')
  console.log('asked for ' + url + ' with ' + JSON.stringify(headers) + body)
  if (url === '/') return response.end('ready')
  ${change}
  if (url === '/login') {
    const { user, password } = JSON.parse(body)
    if (password !== ${JSON.stringify(PASSWORD)}) return json(response, { error: password + ' is wrong' }, 401)
    const made = 'tk/${MARK}' + crypto.randomBytes(6).toString('hex') + '+='
    tokens.set(made, user)
    return json(response, { token: made })
  }
  if (url === '/key') return json(response, { key: headers['x-api-key'] }, 200, { 'X-Api-Key': headers['x-api-key'] })
  if (!tokens.has(token)) return json(response, { error: token + ' is unknown' }, 403)
  const all = {
    user: tokens.get(token), token, logins: tokens.size, query: '/t?token=' + encodeURIComponent(token),
    code: Buffer.from('for:' + token).toString('base64'), password: ${JSON.stringify(PASSWORD)},
  }
  if (url !== '/packed') return json(response, all, 200, { 'X-Echo': headers.authorization, 'Set-Cookie': 'session=' + token })
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
  response.end(zlib.gzipSync(JSON.stringify(all)))
}
http.createServer((request, response) => {
  let body = ''
  request.on('data', chunk => { body += chunk })
  request.on('end', () => answer(request, response, body))
}).listen(Number(process.argv[2] || 0), '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })
`
}

const get = (path: string, as: string) => ({ request: { method: 'GET', path }, as })
export const INPUTS: Readonly<Record<string, unknown>> = {
  '001-happy-twice': { covers: [], steps: [get('/me', 'alice'), get('/me', 'alice')] },
  '002-happy-packed': { covers: [], steps: [get('/packed', 'alice')] },
  '003-happy-key': { covers: [], steps: [get('/key', 'bob')] },
  '010-error-nobody': { covers: [], steps: [{ request: { method: 'GET', path: '/me' } }] },
}

export const PRINCIPALS = `principals:
  alice:
    header: Authorization
    value: Bearer {{token}}
    login:
      request:
        method: POST
        path: /login
        headers: [[Content-Type, application/json]]
        body: { json: { user: alice, password: "{{env.PARITY_VAULT_PASSWORD}}" } }
      bind: { token: $.token }
  bob: { header: X-Api-Key, env: PARITY_VAULT_KEY }
`

export interface VaultText {
  /** In front of what the legacy, and what the rewrite, answers with. */
  readonly legacy?: string
  readonly candidate?: string
  /** Default: `PRINCIPALS`. */
  readonly principals?: string
  /** Default: `sends: [POST /login]`. */
  readonly sends?: string
}

/** The vault as a project: a lab, a contract, four cases and a suite whose candidate is the changed service. */
export function vaultProject(o: VaultText = {}): Project {
  const inputs = Object.entries(INPUTS).map(
    ([name, input]) => [`parity/vault/inputs/${name}.json`, JSON.stringify(input)] as const,
  )
  return makeProject({
    name: 'vault',
    files: {
      'parity/vault/contract.yaml': `feature: vault\nlab: vault\nrevision: r1\nreset: case\nheaders: [content-type, x-echo, x-api-key, set-cookie]\n${o.sends ?? 'sends: [POST /login]'}\n${o.principals ?? PRINCIPALS}`,
      'tolerance/vault.yaml': '{}\n',
      'labs/vault/lab.yaml': `id: vault
claim: what the test needs
revision: r1
driver: process
isolation: none
clock: "2026-01-02T03:04:05Z"
services:
  app:
    command: [node, app.cjs, "\${port}"]
    ready: { http: GET /, timeoutMs: 5000 }
    reset: restart
`,
      'labs/vault/app.cjs': vaultSource(o.legacy),
      'parity/vault/candidate/app.cjs': vaultSource(o.candidate),
      'parity/vault/vault.parity.ts': `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describeParity, http } from '${source('src/index.ts')}'
describeParity('vault', { candidateId: 'vault 1', candidate: http(async () => {
  const child = spawn(process.execPath, [new URL('candidate/app.cjs', import.meta.url).pathname], { stdio: 'pipe' })
  const [line] = await once(child.stdout, 'data')
  child.stdout.resume()
  return { url: String(line).trim(), async [Symbol.asyncDispose]() { child.kill('SIGKILL'); await once(child, 'exit') } }
}) })
`,
      ...Object.fromEntries(inputs),
    },
  })
}

/** The changed service as a candidate. */
export function vaultCandidate(change = ''): Target {
  return http(async () => {
    const child = spawn(process.execPath, ['-e', vaultSource(change)], { stdio: 'pipe' })
    const [line] = await once(child.stdout, 'data')
    child.stdout.resume()
    return {
      url: String(line).trim(),
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
    }
  })
}

/** Files below a folder that hold one of the texts, but for sources of the project itself. */
export function holders(root: string, texts: readonly string[]): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true }).flatMap(entry => {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || file.includes('node_modules') || file.endsWith('app.cjs')) return []
    const text = readFileSync(file, 'latin1')
    return texts.filter(one => text.includes(one)).map(one => `${file.slice(root.length + 1)}: ${one}`)
  })
}
