import { Buffer } from 'node:buffer'
import { isObject, type Json, membersOf, textOf } from '../../src/core/json.ts'
import type { FieldList, Observation } from '../../src/model.ts'
import { differencesOf, filesIn, jsonIn, memberOf, respond, stringOf } from './observed.ts'
import { translate } from './pact-rules.ts'
import { judged, type Result, type Suite } from './result.ts'

/** Pact specification cases, versions 1 to 4: the expectation as golden, the answer as actual, matchers as tolerances. */
export const pactSpec: Suite = {
  name: 'pact-spec',
  folder: 'conformance/pact-spec',
  run(folder) {
    const files = filesIn(folder).filter(file => file.endsWith('.json'))
    const results = files.map(file => compared(file.slice(0, -'.json'.length), jsonIn(folder, file)))
    return [{ name: 'pact-spec', results, figures: agreementOf(results) }]
  },
}

/** Of what can be said in our words, how much agrees with Pact, in thousandths. */
function agreementOf(results: readonly Result[]): Readonly<Record<string, number>> {
  const right = results.filter(({ state }) => state === 'right').length
  const said = results.filter(({ state }) => state === 'right' || state === 'wrong').length
  return { 'agreement, per mille of what is asserted': said === 0 ? 0 : Math.round((right / said) * 1000) }
}

function compared(name: string, test: Json): Result {
  if (/\/request\/(?:path|query)\//.test(name)) {
    return { case: name, state: 'unasserted', why: 'the path or query of a request' }
  }
  const [expected, actual] = [sideOf(memberOf(test, 'expected')), sideOf(memberOf(test, 'actual'))]
  const headers = expected.headers.map(([header]) => header)
  const translated = translate({
    rules: memberOf(memberOf(test, 'expected'), 'matchingRules'),
    headers,
    xml: expected.xml,
  })
  if (!translated.ok) return { case: name, state: 'unasserted', why: translated.why }
  const golden = observed(expected)
  const told = differencesOf(golden, observed(actual), translated.rules)
  const match = memberOf(test, 'match') === true
  if (match) return judged(name, told)
  return judged(name, told.length > 0 ? [] : ['must differ, and nothing is told'])
}

interface Side {
  readonly headers: FieldList
  /** Type of the body where no header says it; null without a body. */
  readonly type: string | null
  readonly text: string | null
  readonly xml: boolean
}

function sideOf(side: Json | undefined): Side {
  const section = memberOf(side, 'headers')
  const headers = section !== undefined && isObject(section) ? membersOf(section) : []
  const fields = headers.map(([name, value]) => [name, stringOf(value).replace(/\s*\n\s*/g, ' ')] as const)
  const { content, type } = contentOf(memberOf(side, 'body') ?? memberOf(side, 'contents'))
  if (content === undefined || content === null || content === '')
    return { headers: fields, type: null, text: null, xml: false }
  const text = typeof content === 'string' ? content : textOf(content)
  const xml = typeof content === 'string' && content.startsWith('<')
  const guessed = typeof content === 'string' ? (xml ? 'application/xml' : 'text/plain') : 'application/json'
  return { headers: fields, type: type ?? guessed, text, xml }
}

/** A body of version 4 says what it is; one of the others is the content itself. */
function contentOf(body: Json | undefined): { readonly content: Json | undefined; readonly type: string | null } {
  const content = memberOf(body, 'content')
  if (content === undefined) return { content: body, type: null }
  const type = memberOf(body, 'contentType')
  return { content, type: type === undefined ? null : stringOf(type) }
}

function observed({ headers, type, text }: Side): Observation {
  const named = headers.some(([name]) => name.toLowerCase() === 'content-type')
  const fields = named || type === null ? headers : [...headers, ['Content-Type', type] as const]
  return text === null ? respond(fields) : respond(fields, Buffer.from(text, 'utf8'))
}
