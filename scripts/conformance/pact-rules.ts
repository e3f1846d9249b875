import { isObject, type Json, membersOf } from '../../src/core/json.ts'
import { compileTolerance, type RuleSet } from '../../src/core/tolerance.ts'
import { itemsOf, memberOf, stringOf } from './observed.ts'

/** The matching rules of a Pact as a rule set, or why they have none. */
export type Translated = { readonly ok: true; readonly rules: RuleSet } | { readonly ok: false; readonly why: string }

export interface MatchingRules {
  /** The member `matchingRules` of the expectation. */
  readonly rules: Json | undefined
  /** Compared headers. */
  readonly headers: readonly string[]
  /** Whether the body is XML: Pact selects in it by conventions of its own. */
  readonly xml: boolean
}

/**
 * Matching rules as a tolerance file: `type`, and a length of at least one, become `structural`. A tolerance has no
 * regular expressions, no other lengths, and nothing for the path and query of a request.
 *
 * **Source**: Pact specification, versions 2 (`{"$.body.x": {match}}`) and 3, 4 (`{body: {"$.x": {matchers: [{match}]}}}`).
 */
export function translate({ rules, headers, xml }: MatchingRules): Translated {
  const paths: string[] = []
  for (const { place, selector, matchers } of entriesOf(rules)) {
    if (place === 'path' || place === 'query') return { ok: false, why: 'the path or query of a request' }
    if (xml && place === 'body') return { ok: false, why: 'matchers inside XML' }
    for (const matcher of matchers) {
      const why = unsaid(matcher)
      if (why !== null) return { ok: false, why }
    }
    paths.push(place === 'header' ? `header.${selector.toLowerCase()}` : selector)
  }
  const text = paths.length === 0 ? '' : `structural: ${JSON.stringify(paths)}`
  const compiled = compileTolerance({ file: 'pact.yaml', text, headers })
  if (compiled.ok) return { ok: true, rules: compiled.rules }
  const message = compiled.errors[0]?.message ?? ''
  return { ok: false, why: message.replace(/[":].*$/s, '').trim() || message }
}

/** What a matcher says that a tolerance cannot; null when `structural` says it. */
function unsaid(matcher: Json): string | null {
  const match = memberOf(matcher, 'match')
  const [min, max] = [memberOf(matcher, 'min'), memberOf(matcher, 'max')]
  if (match === 'regex' || memberOf(matcher, 'regex') !== undefined) return 'a regular expression'
  if (match !== undefined && match !== 'type') return `the matcher ${stringOf(match)}`
  return max !== undefined || (min !== undefined && min !== 1) ? 'a length other than at least one' : null
}

interface Entry {
  readonly place: string
  readonly selector: string
  readonly matchers: readonly Json[]
}

function entriesOf(rules: Json | undefined): Entry[] {
  if (rules === undefined || !isObject(rules)) return []
  return membersOf(rules).flatMap(([place, value]): Entry[] => {
    if (place.startsWith('$')) return [second(place, value)]
    if (memberOf(value, 'matchers') !== undefined) {
      return [{ place, selector: '$', matchers: itemsOf(memberOf(value, 'matchers')) }]
    }
    const body = place === 'content' ? 'body' : place
    const below = isObject(value) ? membersOf(value) : []
    return below.map(([selector, rule]) => ({ place: body, selector, matchers: itemsOf(memberOf(rule, 'matchers')) }))
  })
}

/** A rule of version 2: `$.body['2'].str`, `$.headers.Accept`, `$.path`. */
function second(path: string, matcher: Json): Entry {
  const [, place = '', rest = ''] = /^\$\.([a-z]+)(.*)$/s.exec(path) ?? []
  if (place === 'headers' || place === 'header')
    return { place: 'header', selector: rest.slice(1), matchers: [matcher] }
  return { place, selector: `$${rest}`, matchers: [matcher] }
}
