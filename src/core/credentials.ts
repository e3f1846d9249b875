import { Buffer } from 'node:buffer'
import type { FieldList, StepObservation } from '../model.ts'
import { applyCodings, undoCodings } from './codings.ts'
import { parseJson } from './json.ts'

/** What must stand in no golden, report or message, and whose it is. */
export interface Credential {
  readonly principal: string
  readonly text: string
}

/** What is shorter occurs by chance: it cannot be told from other text, and so not be kept out of a golden. */
export const CREDENTIAL_CHARACTERS_MIN = 8

/**
 * The secret parts of the value of a header: what follows an authentication scheme (`Bearer …`), of `Basic` the password
 * as well, of a cookie the values, else all of it.
 */
export function secretParts(header: string, value: string): readonly string[] {
  if (header.toLowerCase() === 'cookie') {
    return value.split(';').map(pair => pair.slice(pair.indexOf('=') + 1).trim())
  }
  const [, scheme = '', rest = ''] = /^([A-Za-z][A-Za-z0-9-]*) +(\S+)$/.exec(value) ?? []
  if (rest === '') return [value]
  if (scheme.toLowerCase() !== 'basic') return [rest]
  const pair = Buffer.from(rest, 'base64').toString('utf8')
  return pair.includes(':') ? [rest, pair, pair.slice(pair.indexOf(':') + 1)] : [rest]
}

/**
 * What was observed, with `{credential:<principal>}` in place of each credential, wherever it stands: in headers and body,
 * as it is or as JSON, URLs, HTML and base64 write it, under content codings and in UTF-16. JSON stays JSON.
 */
export function conceal(seen: StepObservation, credentials: readonly Credential[]): StepObservation {
  if (seen.kind !== 'response' || credentials.length === 0) return seen
  const { response } = seen
  const headers: FieldList = response.headers.map(([name, value]) => [name, concealText(value, credentials)])
  const { body } = response
  if (body === undefined || !('bytes' in body)) return { ...seen, response: { ...response, headers } }
  const bytes = concealBytes(body.bytes, { headers: response.headers, credentials })
  return { ...seen, response: { ...response, headers, body: { bytes } } }
}

/** A text with every credential replaced. */
export function concealText(text: string, credentials: readonly Credential[]): string {
  return longestFirst(credentials).reduce(
    (left, one) => left.replace(patternOf(one.text), () => placeholder(one)),
    text,
  )
}

function placeholder({ principal }: Credential): string {
  return `{credential:${principal}}`
}

/** So that what holds another one goes as a whole. */
function longestFirst(credentials: readonly Credential[]): readonly Credential[] {
  return [...credentials].sort((a, b) => b.text.length - a.text.length)
}

function concealBytes(
  bytes: Uint8Array,
  o: { readonly headers: FieldList; readonly credentials: readonly Credential[] },
): Uint8Array {
  const codings = o.headers.filter(([name]) => name.toLowerCase() === 'content-encoding').map(([, value]) => value)
  const uncoded = undoCodings(bytes, codings)
  const octets = uncoded.ok ? uncoded.bytes : bytes
  const before = Buffer.from(octets).toString('latin1')
  const after = concealWide(concealDocument(before, o.credentials), o.credentials)
  if (after === before) return bytes
  const concealed = Buffer.from(after, 'latin1')
  return uncoded.ok ? (applyCodings(concealed, codings) ?? concealed) : concealed
}

/** Strings and numbers of a JSON text; all between them is punctuation. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function concealDocument(text: string, credentials: readonly Credential[]): string {
  const plain = concealText(text, credentials)
  if (plain === text || !parseJson(text).ok || parseJson(plain).ok) return plain
  // a credential of digits stood as a number
  return text.replace(JSON_TOKEN, token => {
    const concealed = concealText(token, credentials)
    return concealed === token || token.startsWith('"') ? concealed : `"${concealed}"`
  })
}

function concealWide(text: string, credentials: readonly Credential[]): string {
  if (!text.includes('\0')) return text
  const wide = (own: string): readonly Buffer[] => {
    const little = Buffer.from(own, 'utf16le')
    return [little, Buffer.from(little).swap16()]
  }
  return longestFirst(credentials).reduce((left, one) => {
    const shown = wide(placeholder(one))
    return wide(one.text).reduce(
      (rest, octets, at) => rest.replaceAll(octets.toString('latin1'), () => shown[at]?.toString('latin1') ?? ''),
      left,
    )
  }, text)
}

const patterns = new Map<string, RegExp>()
const PATTERNS_MAX = 512

/** Finds a credential in text or in octets read as Latin-1, however its characters are escaped. */
function patternOf(text: string): RegExp {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const escaped = Array.from(text, characterPattern).join('')
  const pattern = new RegExp([escaped, ...base64Forms(text).map(quoted)].join('|'), 'g')
  if (patterns.size >= PATTERNS_MAX) patterns.clear()
  patterns.set(text, pattern)
  return pattern
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

function characterPattern(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character
  const octets = [...Buffer.from(character, 'utf8')]
  const code = character.codePointAt(0) ?? 0
  const forms = [
    quoted(character),
    quoted(Buffer.from(octets).toString('latin1')),
    octets.map(octet => `%${anyCase(octet.toString(16).padStart(2, '0'))}`).join(''),
    character
      .split('')
      .map(unit => `\\\\u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
      .join(''),
    `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
  ]
  if ('"\\/'.includes(character)) forms.push(quoted(`\\${character}`))
  if (character === ' ') forms.push('\\+')
  const named = NAMED[character]
  if (named !== undefined) forms.push(named)
  // the longer forms first: a backslash alone is the beginning of an escaped one
  return `(?:${[...new Set(forms)].reverse().join('|')})`
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)
}

/** Its characters in base64, whatever stands before and after it: without those that a neighbour decides. */
function base64Forms(text: string): readonly string[] {
  const octets = Buffer.from(text, 'utf8')
  const forms = [0, 1, 2].map(offset => {
    const coded = Buffer.concat([Buffer.alloc(offset), octets]).toString('base64')
    return coded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + octets.length) * 8) / 6))
  })
  return [...new Set([...forms, ...forms.map(form => form.replaceAll('+', '-').replaceAll('/', '_'))])]
}
