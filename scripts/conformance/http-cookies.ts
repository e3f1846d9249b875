import { parseSetCookie } from '../../src/core/cookies.ts'
import type { Json } from '../../src/core/json.ts'
import type { Observation } from '../../src/model.ts'
import { differencesOf, filesIn, itemsOf, jsonIn, memberOf, notesOf, respond, stringOf, textIn } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

/** Set-Cookie lines and dates of the IETF and tough-cookie suites, through the comparison of headers. */
export const httpCookies: Suite = {
  name: 'http-cookies',
  folder: 'conformance/http-cookies',
  run(folder) {
    const dates = filesIn(folder).filter(file => file.endsWith('.ts'))
    return [
      { name: 'http-cookies', results: itemsOf(jsonIn(folder, 'ietf-parser.handed.json')).map(cookies) },
      { name: 'http-cookies dates', results: dates.flatMap(file => datesIn(textIn(folder, file), file)) },
    ]
  },
}

function responded(lines: readonly string[]): Observation {
  return respond(lines.map(line => ['Set-Cookie', line] as const))
}

/**
 * What a browser sends back is read as name and value; the lines equal themselves; another name is told; another value of
 * the same shape is not told, and noted.
 */
function cookies(test: Json): Result {
  const lines = itemsOf(memberOf(test, 'received')).map(stringOf)
  const name = `${stringOf(memberOf(test, 'test'))} ${lines.join(' | ')}`
  const faults = differencesOf(responded(lines), responded(lines)).map(line => `against itself: ${line}`)
  const read = lines.map(parseSetCookie)
  for (const sent of itemsOf(memberOf(test, 'sent'))) {
    const [wanted, value] = [stringOf(memberOf(sent, 'name')), stringOf(memberOf(sent, 'value'))]
    const at = read.findIndex(cookie => cookie.name === wanted && cookie.value === value)
    if (at === -1) {
      faults.push(`${wanted}=${value} is not read`)
      continue
    }
    const line = lines[at] ?? ''
    if (differencesOf(responded([line]), responded([`x${line.trimStart()}`])).length === 0)
      faults.push('another name is not told')
    if (!/^[a-z]{2,}$/.test(value)) continue
    const other = responded([line.replace(value, `${value}z`)])
    if (differencesOf(responded([line]), other).length > 0) faults.push('another value of that shape is told')
    if (!notesOf(responded([line]), other).includes('builtin:cookie-value')) faults.push('another value is not noted')
  }
  return judged(name, faults)
}

const DATE = /test:\s*'((?:[^'\\]|\\.)*)',\s*expected:\s*(?:null|'((?:[^'\\]|\\.)*)')/g

/** A date and the one it means make no difference; a date and none, or one that deletes the cookie, make one. */
function datesIn(text: string, file: string): Result[] {
  return [...text.matchAll(DATE)].map(([, test = '', expected]) => {
    const [given, meant] = [test, expected].map(date => date?.replace(/\\(.)/g, '$1'))
    const faults = toldOf(expiring(given), expiring(given)).map(line => `against itself: ${line}`)
    const name = `${file} ${given}`
    if (meant === undefined) {
      // A date that cannot be read leaves a session cookie, which a cookie with a date is not.
      if (toldOf(expiring(given), expiring('Wed, 01 Jan 2020 00:00:00 GMT')).length === 0) {
        faults.push('no date at all, and not told from a date')
      }
      return judged(name, faults)
    }
    faults.push(...toldOf(expiring(given), expiring(meant)))
    if (toldOf(expiring(given), ['a=b']).length === 0) faults.push('a missing date is not told')
    const deletes = meant.includes(' 1970 ')
    const other = expiring(deletes ? 'Wed, 01 Jan 2020 00:00:00 GMT' : 'Thu, 01 Jan 1970 00:00:00 GMT')
    if (toldOf(expiring(given), other).length === 0) faults.push('deleting and keeping are not told apart')
    return judged(name, faults)
  })
}

function expiring(date: string | undefined): string[] {
  return [`a=b; Expires=${date}`]
}

function toldOf(golden: readonly string[], actual: readonly string[]): string[] {
  return differencesOf(responded(golden), responded(actual))
}
