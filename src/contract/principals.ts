import { join } from 'node:path'
import { z } from 'zod'
import { parseSource, referencesIn } from '../core/bindings.ts'
import { nearest } from '../core/nearest.ts'
import type { Located } from '../core/yaml.ts'
import type { Case, Request } from '../model.ts'
import { locatedError } from './located.ts'

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

const fields = z.array(z.tuple([z.string(), z.string()]))
const body = z.union([
  z.strictObject({ json: z.json() }),
  z.strictObject({ text: z.string() }),
  z.strictObject({ form: fields }),
])

const login = z.strictObject({
  request: z
    .strictObject({
      method: z.string().regex(TOKEN, 'a method, as POST'),
      path: z.string().regex(/^\/[\x21-\x7e]*$/, 'a path that begins with / and is percent-encoded'),
      headers: fields.default([]),
      body: body.optional(),
    })
    .describe('What is sent to the same side, once per case; {{env.NAME}} in it is taken from the environment'),
  bind: z.record(z.string().regex(VARIABLE, 'a name is of letters, digits and _'), z.string()),
})

/** Who calls: a header, and the variable that holds its value, or the login that gives it. */
export const principalSchema = z.strictObject({
  header: z.string().regex(TOKEN, 'a header name').describe('The header that says who calls'),
  env: z.string().regex(VARIABLE, 'the name of a variable').optional().describe('The variable that holds its value'),
  value: z.string().min(1).optional().describe('Its value, of what the login binds: Bearer {{token}}'),
  login: login.optional().describe('How it is had: a request, and what its answer binds'),
})

/** Who calls. Credentials themselves are never written down. */
export type Principal =
  | { readonly header: string; readonly env: string }
  | {
      readonly header: string
      /** With references to what the login binds. */
      readonly value: string
      readonly login: { readonly request: Request; readonly bind: Readonly<Record<string, string>> }
    }

/** What is wrong at a place of the contract. */
export interface Misfit {
  readonly path: readonly string[]
  readonly of: 'key' | 'value'
  readonly message: string
  readonly fix: string
}

/** The principals of a contract, and what the schema alone cannot see of them. */
export function principalsOf(given: Readonly<Record<string, z.infer<typeof principalSchema>>>): {
  readonly principals: Readonly<Record<string, Principal>>
  readonly misfits: readonly Misfit[]
} {
  const principals: [string, Principal][] = []
  const misfits: Misfit[] = []
  for (const [name, { header, env, value, login }] of Object.entries(given)) {
    const add = (below: readonly string[], of: 'key' | 'value', message: string, fix: string) =>
      misfits.push({ path: ['principals', name, ...below], of, message, fix })
    if ((env === undefined) === (login === undefined)) {
      const message = 'a principal has either `env`, the variable that holds its credential, or `login`'
      add([], 'key', message, 'write one of the two')
    } else if (env !== undefined) {
      if (value !== undefined) add(['value'], 'key', '`value` stands beside `env`, which holds all of it', 'remove it')
      principals.push([name, { header, env }])
    } else if (login !== undefined) {
      for (const { below, message, fix } of loginMisfits(login, value)) add(below, 'value', message, fix)
      const { body: sent, ...rest } = login.request
      const request: Request = sent === undefined ? rest : { ...rest, body: sent }
      const made = value ?? `{{${Object.keys(login.bind)[0] ?? ''}}}`
      principals.push([name, { header, value: made, login: { request, bind: login.bind } }])
    }
  }
  return { principals: Object.fromEntries(principals), misfits }
}

interface LoginMisfit {
  readonly below: readonly string[]
  readonly message: string
  readonly fix: string
}

function loginMisfits({ request, bind }: z.infer<typeof login>, value: string | undefined): readonly LoginMisfit[] {
  const names = Object.keys(bind)
  const used = value === undefined ? names : referencesIn(value)
  const found: LoginMisfit[] = Object.entries(bind).flatMap(([name, source]) => {
    const parsed = parseSource(source)
    return parsed.ok ? [] : [{ below: ['login', 'bind', name], message: parsed.message, fix: parsed.fix }]
  })
  if (names.length === 0 || (value === undefined && names.length > 1)) {
    const message = `the login binds ${names.length} values, and nothing says how the header is made of them`
    const fix = names.length === 0 ? 'bind the credential, as { token: $.token }' : 'add `value`, as "Bearer {{token}}"'
    found.push({ below: ['login', 'bind'], message, fix })
  }
  for (const name of names.filter(name => !used.includes(name))) {
    found.push({ below: ['value'], message: `it leaves out {{${name}}}`, fix: 'use it, or do not bind it' })
  }
  for (const name of used.filter(name => !names.includes(name))) {
    found.push({ below: ['value'], message: `the login binds no {{${name}}}`, fix: 'bind it, or correct its name' })
  }
  for (const name of loginReferences(request).filter(name => !/^env\.[A-Za-z_][A-Za-z0-9_]*$/.test(name))) {
    const message = `{{${name}}} is bound by nothing before a login`
    found.push({ below: ['login', 'request'], message, fix: 'write {{env.NAME}} for a variable of the environment' })
  }
  return found
}

/** All names that a login request refers to. */
function loginReferences(request: unknown): readonly string[] {
  return [...new Set(referencesIn(JSON.stringify(request) ?? ''))]
}

/**
 * Refuses a step that is called by nobody the contract knows, or that sends the header of its principal itself.
 *
 * @throws ParityError PARITY_INPUT_INVALID, with every step
 */
export function refuseUnknownPrincipals(
  principals: Readonly<Record<string, Principal>>,
  cases: Iterable<Case>,
  folder: string,
): void {
  const errors: Located[] = []
  for (const { name, steps } of cases) {
    for (const [at, { as, request }] of steps.entries()) {
      if (as === undefined) continue
      const misfit = stepMisfit(as, Object.hasOwn(principals, as) ? principals[as] : undefined, request, principals)
      if (misfit === null) continue
      const { message, fix } = misfit
      errors.push({ file: join(folder, `${name}.json`), line: 1, column: 1, message: `$.steps[${at}].${message}`, fix })
    }
  }
  if (errors.length > 0) throw locatedError('PARITY_INPUT_INVALID', errors)
}

function stepMisfit(
  as: string,
  principal: Principal | undefined,
  request: Request | undefined,
  principals: Readonly<Record<string, Principal>>,
): { readonly message: string; readonly fix: string } | null {
  if (principal === undefined) {
    const names = Object.keys(principals)
    const near = nearest(as, names)
    const message = `as: the contract declares no principal \`${as}\` (known: ${names.join(', ') || 'none'})`
    return { message, fix: near === null ? 'declare it under principals: in the contract' : `write \`${near}\`` }
  }
  const sent = request?.headers.find(([name]) => name.toLowerCase() === principal.header.toLowerCase())
  if (sent === undefined) return null
  return { message: `request.headers: ${sent[0]} is what \`as\` adds`, fix: 'remove the header, or `as`' }
}
