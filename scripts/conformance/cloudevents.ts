import { Buffer } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { decodeBody } from '../../src/core/bodies.ts'
import { isObject, type Json, membersOf, textOf, toJson } from '../../src/core/json.ts'
import type { FieldList, Observation } from '../../src/model.ts'
import { differencesOf, filesIn, memberOf, respond, rulesOf, stringOf, textIn } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

/** CloudEvents: single events in both modes of HTTP, and lists of wanted and received events. */
export const cloudevents: Suite = {
  name: 'cloudevents',
  folder: 'conformance/cloudevents',
  run(folder) {
    const events = filesIn(folder)
      .filter(file => file.startsWith('yaml/'))
      .flatMap(file => eventsIn(folder, file).map((event, at) => ({ event, name: `${file}#${at}` })))
    const all = events.map(({ event }) => event)
    return [
      { name: 'cloudevents', results: events.map(({ event, name }) => single(event, name, all)) },
      { name: 'cloudevents lists', results: LISTS.map(list => listed(folder, list)) },
    ]
  },
}

/** The events of a file. Source texts stand where YAML would read a version as a number, or a time as a time. */
function eventsIn(folder: string, file: string): Json[] {
  return parseAllDocuments(textIn(folder, file), { schema: 'failsafe' }).map(document => {
    const made = toJson(document.toJS())
    return made.ok ? made.value : null
  })
}

const ATTRIBUTES = ['ce-id', 'ce-type', 'ce-source', 'ce-specversion', 'content-type']
const RULES = rulesOf('', ATTRIBUTES)

/** Source: CloudEvents HTTP protocol binding, sections 3.1 and 3.2. */
function single(event: Json, name: string, all: readonly Json[]): Result {
  const faults: string[] = []
  const type = stringOf(memberOf(memberOf(event, 'ContextAttributes'), 'datacontenttype'))
  const media = type.split(';')[0] ?? ''
  const binary = inBinaryMode(event, type)
  const wanted = { 'text/plain': 'text', 'application/json': 'json', 'application/xml': 'xml' }[media]
  const kind = kindOf(binary)
  if (wanted !== undefined && kind !== wanted) faults.push(`its data is read as ${kind}`)
  for (const made of [(each: Json) => inBinaryMode(each, type), inStructuredMode]) {
    for (const other of all) {
      const told = differencesOf(made(event), made(other), RULES).length > 0
      if (told === isDeepStrictEqual(event, other))
        faults.push(told ? 'is told from itself' : `is not told from ${textOf(other)}`)
    }
  }
  return judged(name, faults)
}

function inBinaryMode(event: Json, type: string): Observation {
  const attributes = memberOf(event, 'ContextAttributes')
  const members = attributes !== undefined && isObject(attributes) ? membersOf(attributes) : []
  const fields: FieldList = members
    .filter(([name, value]) => name !== 'datacontenttype' && typeof value === 'string')
    .map(([name, value]) => [`ce-${name}`, stringOf(value)] as const)
  const content: FieldList = type === '' ? [] : [['Content-Type', type]]
  return respond([...fields, ...content], Buffer.from(stringOf(memberOf(event, 'Data')).trimEnd(), 'utf8'))
}

function inStructuredMode(event: Json): Observation {
  return respond([['Content-Type', 'application/cloudevents+json']], Buffer.from(textOf(event), 'utf8'))
}

function kindOf([step]: Observation): string {
  if (step?.kind !== 'response') return ''
  const { headers, body, status } = step.response
  return decodeBody({ headers, body, method: step.method, status }).kind
}

interface List {
  readonly wanted: readonly string[]
  readonly received: string
  readonly tolerance: Readonly<Record<string, readonly string[]>>
  /** What must be told, by hand. */
  readonly told: readonly string[]
}

const DIFF = 'diff/testdata'
const TRANSPORT = ['$[*].Mode', '$[*].TransportExtensions']
const UNSAID = ['specversion', 'time', 'id', 'source', 'Extensions'].map(name => `$[*].ContextAttributes.${name}`)
const PARTIAL = { order_insensitive: ['$'], ignore: [...TRANSPORT, ...UNSAID, '$[*].Data'] }

/** Wanted against received, in the order and with the attributes that the corpus does not care about left out by rules. */
const LISTS: readonly List[] = [
  {
    wanted: [`${DIFF}/sample1_a.yaml`],
    received: `${DIFF}/sample1_b.yaml`,
    tolerance: { order_insensitive: ['$'], ignore: TRANSPORT },
    told: [],
  },
  {
    wanted: [`${DIFF}/sample3_a.yaml`],
    received: `${DIFF}/sample3_b.yaml`,
    tolerance: { ignore: TRANSPORT },
    told: ['value_changed at $[0].ContextAttributes.type'],
  },
  {
    wanted: ['a', 'b', 'c'].map(name => `${DIFF}/sample5/want/${name}.yaml`),
    received: `${DIFF}/sample5/got/got.yaml`,
    tolerance: PARTIAL,
    told: [],
  },
  {
    wanted: [`${DIFF}/sample7_a.yaml`],
    received: `${DIFF}/sample7_b.yaml`,
    tolerance: PARTIAL,
    told: ['extra at $[0]'],
  },
]

function listed(folder: string, { wanted, received, tolerance, told }: List): Result {
  const golden = outputOf(wanted.flatMap(file => eventsIn(folder, file)))
  const actual = outputOf(eventsIn(folder, received))
  const faults: string[] = []
  const found = differencesOf(golden, actual, rulesOf(JSON.stringify(tolerance)))
  if (!isDeepStrictEqual(found, told)) faults.push(`tells ${found.join(', ') || 'nothing'}`)
  if (differencesOf(golden, actual).length === 0) faults.push('without rules nothing is told')
  return judged(received, faults)
}

function outputOf(events: readonly Json[]): Observation {
  return [{ kind: 'output', output: events }]
}
