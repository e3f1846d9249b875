import type { Principal } from '../contract/principals.ts'
import { type Bound, referencesOf, take } from '../core/bindings.ts'
import { CREDENTIAL_CHARACTERS_MIN, type Credential, conceal, concealText, secretParts } from '../core/credentials.ts'
import { boundText, filledTemplate, fillStep } from '../core/filled.ts'
import type { Fault, FieldList, Request } from '../model.ts'
import type { Principals } from './driver.ts'
import type { Stepped } from './sequence.ts'

/** Logins of earlier cases whose credentials are kept out as well: a session list shows more than one. */
const REMEMBERED_MAX = 256

export interface PrincipalsOptions {
  /** Of the contract, by name. */
  readonly principals: Readonly<Record<string, Principal>>
  /** Read when a step asks for it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Who is called, in faults: `the candidate`. */
  readonly label: string
}

/** The principals of one side. */
export interface PrincipalBook {
  /** Those of one case: each logs in once in it. */
  forCase(): Principals
  /** A line that the side printed, with every credential replaced. */
  concealText(text: string): string
}

type Got = { readonly ok: true; readonly fields: FieldList } | { readonly ok: false; readonly fault: Fault }

/**
 * The principals of a contract on one side. A credential comes from the environment or from a login that is driven on
 * that same side; it is never stored, and no fault holds its value.
 *
 * A missing variable, a login that is refused or binds nothing, and a credential too short to be kept out of goldens are
 * `environment`, with the name of the principal and of the variable.
 */
export function principalBook(o: PrincipalsOptions): PrincipalBook {
  const remembered: Credential[] = []
  const credentials = (): readonly Credential[] => [...fromEnvironment(o), ...remembered]
  const remember = (principal: string, texts: readonly string[]) => {
    for (const text of texts) {
      if (!remembered.some(known => known.text === text)) remembered.push({ principal, text })
    }
    remembered.splice(0, remembered.length - REMEMBERED_MAX)
  }
  return {
    concealText: text => concealText(text, credentials()),
    forCase() {
      const asked = new Map<string, Promise<Got>>()
      return {
        fieldsOf(name, { step, send }) {
          const known = asked.get(name)
          const got = known ?? fieldsOf(o, name, { step, send, remember: texts => remember(name, texts) })
          asked.set(name, got)
          return got
        },
        conceal: seen => conceal(seen, credentials()),
      }
    },
  }
}

interface Call {
  readonly step: number
  send(request: Request): Promise<Stepped>
  remember(texts: readonly string[]): void
}

async function fieldsOf(o: PrincipalsOptions, name: string, call: Call): Promise<Got> {
  const principal = Object.hasOwn(o.principals, name) ? o.principals[name] : undefined
  const refuse = (message: string): Got => ({ ok: false, fault: { reason: 'environment', step: call.step, message } })
  if (principal === undefined) return refuse(`the contract declares no principal ${name}`)
  const { header } = principal
  if ('env' in principal) {
    const value = o.env[principal.env]
    if (value === undefined || value === '') return refuse(missing(name, principal.env))
    const unfit = unfitFor(header, value)
    return unfit === null ? { ok: true, fields: [[header, value]] } : refuse(`${principal.env} of ${name} ${unfit}`)
  }
  const { request } = principal.login
  const login = `the login of ${name} at ${o.label}`
  const values = new Map<string, Bound>()
  for (const reference of referencesOf({ request })) {
    const variable = reference.slice('env.'.length)
    const value = o.env[variable]
    if (value === undefined || value === '') return refuse(missing(name, variable))
    if (value.length < CREDENTIAL_CHARACTERS_MIN) return refuse(`${variable} of ${name} ${TOO_SHORT}`)
    values.set(reference, value)
  }
  const filled = fillStep({ request }, values, null)
  if (!filled.ok) return refuse(`${login} cannot be sent: ${filled.message}`)
  const sent = filled.step.request ?? request
  const answered = await call.send(sent)
  if (!answered.ok) {
    const { fault } = answered
    return { ok: false, fault: { ...fault, message: `${login}: ${fault.message}` } }
  }
  const { seen } = answered
  const what = `${request.method} ${request.path.split('?', 1)[0]}`
  if (seen.kind === 'response') {
    const { status, broken } = seen.response
    if (status >= 400) return refuse(`${login} failed: ${what} answered ${status}`)
    if (broken !== undefined) return refuse(`${login} failed: ${what}: ${broken}`)
  }
  for (const [bound, source] of Object.entries(principal.login.bind)) {
    const taken = take(source, seen, sent.path)
    if (!taken.ok) return refuse(`${login} failed: ${what} gives no ${bound}: ${taken.message}`)
    values.set(bound, taken.value)
  }
  const bound = Object.keys(principal.login.bind).map(key => boundText(values.get(key) ?? ''))
  if (bound.some(text => text.length < CREDENTIAL_CHARACTERS_MIN)) return refuse(`what ${login} gives ${TOO_SHORT}`)
  call.remember(bound)
  const value = boundText(filledTemplate(principal.value, values) ?? '')
  const unfit = unfitFor(header, value)
  return unfit === null ? { ok: true, fields: [[header, value]] } : refuse(`what ${login} gives ${unfit}`)
}

const TOO_SHORT = `is shorter than ${CREDENTIAL_CHARACTERS_MIN} characters: too short to be kept out of goldens and reports`

function missing(name: string, variable: string): string {
  return `the principal ${name} needs the variable ${variable} of the environment, and it is not set`
}

/** Why a value cannot be the credential of a header; null when it can. */
function unfitFor(header: string, value: string): string | null {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value) || value.trim() !== value) {
    return `cannot stand in the header ${header}: it has line breaks, control characters or spaces around it`
  }
  return secretParts(header, value).every(part => part.length >= CREDENTIAL_CHARACTERS_MIN) ? null : TOO_SHORT
}

/** Every credential that the environment holds, whoever of the principals it is for. */
function fromEnvironment({ principals, env }: PrincipalsOptions): readonly Credential[] {
  return Object.entries(principals).flatMap(([principal, each]) => {
    const texts =
      'env' in each
        ? secretParts(each.header, env[each.env] ?? '')
        : referencesOf({ request: each.login.request }).map(name => env[name.slice('env.'.length)] ?? '')
    return texts
      .filter(text => text.length >= CREDENTIAL_CHARACTERS_MIN)
      .map((text): Credential => ({ principal, text }))
  })
}
