/** Documents of the fuzz: trees of its own, printed to JSON text in ways that must not matter. */
import type { Random } from './random.ts'

export type Tree =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
export type Member = readonly [name: string, value: Tree]

export const NULL: Tree = { kind: 'null' }
export const number = (text: string): Tree => ({ kind: 'number', text })
export const string = (value: string): Tree => ({ kind: 'string', value })
export const array = (...items: readonly Tree[]): Tree => ({ kind: 'array', items })
export const object = (...members: readonly Member[]): Tree => ({ kind: 'object', members })

/** How a tree is written; every choice is one that JSON gives no meaning to. */
export interface Spelling {
  space(): string
  /** Whether this character, which need not be, is written as an escape. */
  escape(): boolean
  upper(): boolean
}

export const PLAIN: Spelling = { space: () => '', escape: () => false, upper: () => false }

export function anySpelling(random: Random): Spelling {
  const spaced = random.chance(0.5)
  const escaped = random.chance(0.3)
  return {
    space: () => (spaced && random.chance(0.4) ? random.pick([' ', '\n', '\t', '\r\n', '  ']) : ''),
    escape: () => escaped && random.chance(0.4),
    upper: () => random.chance(0.5),
  }
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '/': '\\/',
}

/** A lone surrogate is always escaped: no UTF-8 holds one. */
export function stringText(value: string, spelling: Spelling = PLAIN): string {
  let text = ''
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0
    const must = code < 0x20 || char === '"' || char === '\\' || (code >= 0xd800 && code <= 0xdfff)
    if (!must && !spelling.escape()) text += char
    else if (SHORT[char] !== undefined && !spelling.escape()) text += SHORT[char]
    else
      for (let at = 0; at < char.length; at++) {
        const hex = char.charCodeAt(at).toString(16).padStart(4, '0')
        text += `\\u${spelling.upper() ? hex.toUpperCase() : hex}`
      }
  }
  return `"${text}"`
}

export function textOfTree(tree: Tree, spelling: Spelling = PLAIN): string {
  const { space } = spelling
  const list = (open: string, parts: readonly string[], close: string): string =>
    open + space() + parts.map(part => part + space()).join(`,${space()}`) + close
  switch (tree.kind) {
    case 'null':
      return 'null'
    case 'boolean':
      return String(tree.value)
    case 'number':
      return tree.text
    case 'string':
      return stringText(tree.value, spelling)
    case 'array':
      return list(
        '[',
        tree.items.map(item => textOfTree(item, spelling)),
        ']',
      )
    case 'object':
      return list(
        '{',
        tree.members.map(
          ([name, value]) => `${stringText(name, spelling)}${space()}:${space()}${textOfTree(value, spelling)}`,
        ),
        '}',
      )
    default: {
      const never: never = tree
      return never
    }
  }
}

/** Path of a node: names, and positions in arrays. */
export type Path = readonly (string | number)[]

export function pointerTo(path: Path): string {
  return path.map(segment => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export interface Place {
  readonly path: Path
  readonly tree: Tree
}

/** Every node, parents first. */
export function placesIn(tree: Tree, path: Path = []): Place[] {
  const below =
    tree.kind === 'array'
      ? tree.items.flatMap((item, index) => placesIn(item, [...path, index]))
      : tree.kind === 'object'
        ? tree.members.flatMap(([name, value]) => placesIn(value, [...path, name]))
        : []
  return [{ path, tree }, ...below]
}

/** The tree with the node at each route replaced; a route counts members, not names. `null` takes the node away. */
export function replacedAt(tree: Tree, route: readonly number[], by: (old: Tree) => Tree | null): Tree {
  const [first, ...rest] = route
  if (first === undefined) return by(tree) ?? NULL
  const change = (old: Tree): Tree | null => (rest.length === 0 ? by(old) : replacedAt(old, rest, by))
  if (tree.kind === 'array')
    return array(
      ...tree.items.flatMap((item, index) => {
        const now = index === first ? change(item) : item
        return now === null ? [] : [now]
      }),
    )
  if (tree.kind === 'object')
    return object(
      ...tree.members.flatMap(([name, value], index): Member[] => {
        const now = index === first ? change(value) : value
        return now === null ? [] : [[name, now]]
      }),
    )
  return tree
}

export interface Routed {
  readonly route: readonly number[]
  readonly path: Path
  readonly tree: Tree
}

/** Every node with its route, parents first. */
export function routesIn(tree: Tree, route: readonly number[] = [], path: Path = []): Routed[] {
  const children: readonly (readonly [string | number, Tree])[] =
    tree.kind === 'array'
      ? tree.items.map((item, index) => [index, item] as const)
      : tree.kind === 'object'
        ? tree.members
        : []
  return [
    { route, path, tree },
    ...children.flatMap(([segment, child], index) => routesIn(child, [...route, index], [...path, segment])),
  ]
}
