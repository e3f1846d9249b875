/** Attacks through documents that are no JSON, written from trees of what DESIGN §5 says `$` is there. */
import type { Observation } from '../../src/model.ts'
import { anyTaste, anyTree, equalCopy, nearCopy, rulesAround } from './generate.ts'
import { judge } from './oracle.ts'
import type { Random } from './random.ts'
import { yamlOf } from './rules.ts'
import { array, type Member, NULL, object, PLAIN, string, type Tree, textOfTree } from './tree.ts'
import type { Trial } from './trial.ts'

/** A document in the words of its type, and as the tree that rules see. */
interface Shaped {
  readonly text: string
  readonly tree: Tree
}
type Shape<T> = {
  readonly type: string
  any(random: Random): T
  written(random: Random, item: T): string
  seen(item: T): Tree
  /** The whole from its items. */
  whole(items: readonly T[], random: Random): Shaped
}

const WORDS = ['x', 'y', 'two words', 'é', '😀', '0', '1.0', '2026-01-02', '__proto__']

const lines: Shape<Tree> = {
  type: 'application/x-ndjson',
  any: random => anyTree(random, { ...anyTaste(random), repeats: 0, depth: 2 }),
  written: (_, item) => textOfTree(item, PLAIN),
  seen: item => item,
  whole: (items, random) => ({
    text: items.map(item => `${lines.written(random, item)}${random.chance(0.3) ? '\r\n' : '\n'}`).join(''),
    tree: array(...items),
  }),
}

type Field = readonly [name: string, value: string]
const form: Shape<Field> = {
  type: 'application/x-www-form-urlencoded',
  any: random => [random.pick(['a', 'b', '__proto__', '0']), random.pick(WORDS)],
  written: (random, [name, value]) =>
    [name, value]
      .map(part => (random.chance(0.5) ? encodeURIComponent(part) : encodeURIComponent(part).replaceAll('%20', '+')))
      .join('='),
  seen: ([, value]) => string(value),
  whole: (items, random) => {
    const names = [...new Set(items.map(([name]) => name))]
    const values = (name: string): Tree[] => items.filter(([other]) => other === name).map(form.seen)
    return {
      text: items.map(item => form.written(random, item)).join('&'),
      tree: object(...names.map((name): Member => [name, array(...values(name))])),
    }
  },
}

type Event = readonly [event: string, id: string, data: string]
const events: Shape<Event> = {
  type: 'text/event-stream',
  any: random => [random.pick(['e', 'f']), random.pick(['1', '2']), random.pick([...WORDS, 'a\nb'])],
  written: (random, [event, id, data]) => {
    const fields = [`event: ${event}`, `id: ${id}`, ...data.split('\n').map(line => `data: ${line}`)]
    const end = random.pick(['\n', '\r\n'])
    return fields.map(field => field + end).join('') + end
  },
  seen: ([event, id, data]) => object(['event', string(event)], ['id', string(id)], ['data', string(data)]),
  whole: (items, random) => ({
    text: items.map(item => events.written(random, item)).join(''),
    tree: array(...items.map(events.seen)),
  }),
}

interface Element {
  readonly name: string
  readonly attributes: readonly Field[]
  readonly children: readonly (Element | string)[]
}
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const elements: Shape<Element> = {
  type: 'application/xml',
  any: random => {
    const attributes = ['p', 'q', '__proto__'].filter(() => random.chance(0.3))
    const texts = random.chance(0.4)
    const children = Array.from({ length: random.chance(0.4) ? random.int(3) : 0 }, () => elements.any(random))
    return {
      name: random.pick(['a', 'b', 'constructor']),
      attributes: attributes.map((name): Field => [name, random.pick(WORDS)]),
      children: texts ? [...children, random.pick([...WORDS, 'a<b', 'a&b'])] : random.chance(0.5) ? children : [],
    }
  },
  written: (random, { name, attributes, children }) => {
    const fields = random.shuffled(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
    const inside = children.map(child => (typeof child === 'string' ? escaped(child) : elements.written(random, child)))
    if (inside.length === 0 && random.chance(0.5)) return `<${name}${fields.join('')}/>`
    return `<${name}${fields.join('')}>${inside.join('')}</${name}>`
  },
  seen: ({ name, attributes, children }) =>
    object(
      ['name', string(name)],
      ['attributes', object(...attributes.map(([key, value]): Member => [key, string(value)]))],
      ['children', array(...children.map(child => (typeof child === 'string' ? string(child) : elements.seen(child))))],
    ),
  whole: (items, random) => {
    const root: Element = { name: 'root', attributes: [], children: items }
    return { text: elements.written(random, root), tree: elements.seen(root) }
  },
}

interface Part {
  readonly name: string
  readonly filename: string | null
  readonly body: Tree | string
}
const parts: Shape<Part> = {
  type: 'multipart/form-data; boundary=',
  any: random => ({
    name: random.pick(['a', 'b', '__proto__']),
    filename: random.pick([null, null, 'f.txt']),
    body: random.chance(0.5)
      ? random.pick(WORDS)
      : object(['n', anyTree(random, { ...anyTaste(random), repeats: 0 }, 1)]),
  }),
  written: (random, { name, filename, body }) => {
    const type = typeof body === 'string' ? 'text/plain' : 'application/json'
    const file = filename === null ? '' : `; filename="${filename}"`
    const fields = [`Content-Disposition: form-data; name="${name}"${file}`, `Content-Type: ${type}`]
    const ordered = random.shuffled(fields).map(field => `${field}\r\n`)
    return `${ordered.join('')}\r\n${typeof body === 'string' ? body : textOfTree(body)}\r\n`
  },
  seen: ({ name, filename, body }) =>
    object(
      ['name', string(name)],
      ['filename', filename === null ? NULL : string(filename)],
      ['type', string(typeof body === 'string' ? 'text/plain' : 'application/json')],
      ['body', typeof body === 'string' ? object(['lines', array(string(body))]) : body],
    ),
  whole: (items, random) => ({
    text: `${items.map(item => `--BB\r\n${parts.written(random, item)}`).join('')}--BB--\r\n`,
    tree: array(...items.map(parts.seen)),
  }),
}

function changed<T>(random: Random, shape: Shape<T>, items: readonly T[]): T[] {
  const at = random.int(items.length)
  switch (random.int(5)) {
    case 0:
      return items.length > 1 ? items.filter((_, index) => index !== at) : [...items]
    case 1:
      return [...items.slice(0, at), shape.any(random), ...items.slice(at)]
    case 2:
      return items.map((item, index) => (index === at ? shape.any(random) : item))
    case 3:
      return random.shuffled(items)
    default:
      return [...items]
  }
}

function paired<T>(random: Random, shape: Shape<T>): Trial {
  const items = Array.from({ length: 1 + random.int(4) }, () => shape.any(random))
  const first = shape.whole(items, random)
  const second = shape.whole(changed(random, shape, items), random)
  const rules = rulesAround(random, first.tree, 3)
  const judged = judge(first.tree, second.tree, rules)
  const answer = ({ text }: Shaped): Observation => {
    const multipart = shape.type.endsWith('=')
    const boundary = multipart ? random.pick(['BB', 'CC']) : ''
    const bytes = Buffer.from(multipart ? text.replaceAll('--BB', `--${boundary}`) : text)
    const headers = [['Content-Type', `${shape.type}${boundary}`]] as const
    return [{ kind: 'response', method: 'GET', response: { status: 200, headers, body: { bytes } } }]
  }
  return {
    golden: answer(first),
    actual: answer(second),
    yaml: yamlOf(rules),
    expect: judged.open || judged.tied ? 'open' : judged.agree ? 'equal' : 'different',
    refuse: judged.tied,
    why: `${shape.type}: ${JSON.stringify(first.text)} | ${JSON.stringify(second.text)}`,
  }
}

/** Any of the types, with rules for the tree that is seen. */
function shaped(random: Random): Trial {
  switch (random.int(5)) {
    case 0:
      return paired(random, lines)
    case 1:
      return paired(random, form)
    case 2:
      return paired(random, events)
    case 3:
      return paired(random, elements)
    default:
      return paired(random, parts)
  }
}

/** Larger JSON documents under more edits and rules than elsewhere, judged by the oracle, in one spelling. */
function broad(random: Random): Trial {
  const taste = { ...anyTaste(random), width: 6, depth: 3 }
  const golden = anyTree(random, taste)
  const rules = rulesAround(random, golden, 8)
  const noisy = equalCopy(random, golden, rules)
  const actual = random.chance(0.6) ? nearCopy(random, noisy, 1 + random.int(3), taste) : noisy
  const judged = judge(golden, actual, rules)
  const answer = (tree: Tree): Observation => {
    const body = { bytes: Buffer.from(textOfTree(tree)) }
    const headers = [['Content-Type', 'application/json']] as const
    return [{ kind: 'response', method: 'GET', response: { status: 200, headers, body } }]
  }
  return {
    golden: answer(golden),
    actual: answer(actual),
    yaml: yamlOf(rules),
    expect: judged.open || judged.tied ? 'open' : judged.agree ? 'equal' : 'different',
    refuse: judged.tied,
    why: 'noise where rules allow it, and edits',
  }
}

export const SHAPED_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = { shaped, broad }
