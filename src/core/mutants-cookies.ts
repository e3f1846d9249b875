import type { FieldList } from '../model.ts'
import { parseSetCookie } from './cookies.ts'
import { anotherOfClass } from './mutant-values.ts'

export interface CookieMutation {
  readonly mutation: string
  readonly expect: 'DIVERGED' | 'PARITY'
  readonly headers: FieldList
}

/**
 * Each cookie lost, emptied, made to expire and without each of its attributes; with another value of its form and its
 * attributes in another order, which must pass.
 */
export function cookieMutations(headers: FieldList): CookieMutation[] {
  const fields = headers.flatMap(([name], at) => (name.toLowerCase() === 'set-cookie' ? [at] : []))
  return fields.flatMap(at => {
    const [name, text] = headers[at] ?? ['', '']
    const changed = (mutation: string, value: string, expected: CookieMutation['expect'] = 'DIVERGED') => {
      return { mutation, expect: expected, headers: headers.with(at, [name, value]) }
    }
    const lost = { mutation: 'cookie lost', expect: 'DIVERGED' as const, headers: headers.toSpliced(at, 1) }
    return [...(fields.length > 1 ? [lost] : []), ...mutationsOf(text, changed)]
  })
}

function mutationsOf(
  text: string,
  changed: (mutation: string, value: string, expected?: CookieMutation['expect']) => CookieMutation,
): CookieMutation[] {
  const cookie = parseSetCookie(text)
  const [pair = '', ...attributes] = text.split(';')
  const mutations: CookieMutation[] = []
  const withValue = (value: string) => [`${cookie.name}=${value}`, ...attributes].join(';')
  if (pair.includes('=') && cookie.value !== '') {
    mutations.push(changed('cookie emptied', withValue('')))
    const alike = anotherOfClass(cookie.value)
    // A value with a semicolon would be cut.
    if (alike !== null && !alike.includes(';')) mutations.push(changed('cookie value', withValue(alike), 'PARITY'))
  }
  // A name that occurs twice has no attribute of its own.
  if (attributes.length !== cookie.attributes.size) return mutations
  for (const at of attributes.keys()) {
    mutations.push(changed('cookie attribute dropped', [pair, ...attributes.toSpliced(at, 1)].join(';')))
  }
  const expires = attributes.findIndex(attribute => /^\s*expires\s*=/i.test(attribute))
  const deletes = ' Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  const year = /\d{4}/.exec(attributes[expires] ?? '')?.[0] ?? ''
  if (expires !== -1 && year > '1970') {
    mutations.push(changed('cookie expired', [pair, ...attributes.with(expires, deletes)].join(';')))
    const later = (attributes[expires] ?? '').replace(/\d{4}/, '2098')
    mutations.push(changed('cookie kept longer', [pair, ...attributes.with(expires, later)].join(';'), 'PARITY'))
  }
  if (attributes.length > 1) {
    mutations.push(changed('cookie attributes reordered', [pair, ...attributes.toReversed()].join(';'), 'PARITY'))
  }
  return mutations
}
