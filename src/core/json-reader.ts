import { isObject, type Json, MemberList, membersOf, NumberToken } from './json.ts'
import { nearest } from './nearest.ts'

/** What is wrong, with the path inside the file in its message, and how to repair it. */
export interface Misfit {
  readonly message: string
  readonly fix: string
}

/**
 * A value of one of our own JSON files, read strictly: what does not fit is added to `misfits` and reading goes on
 * with an empty value, so that one reading finds everything. A class, because it carries its place along.
 */
export class Reader {
  readonly value: Json | undefined
  readonly path: string
  readonly #misfits: Misfit[]

  constructor(value: Json | undefined, path: string, misfits: Misfit[]) {
    this.value = value
    this.path = path
    this.#misfits = misfits
  }

  refuse(message: string, fix: string): void {
    this.#misfits.push({ message: `${this.path}: ${message}`, fix })
  }

  /** This reader when there is a value, else null. */
  optional(): Reader | null {
    return this.value === undefined ? null : this
  }

  string(o: { readonly matching?: RegExp; readonly what?: string } = {}): string {
    const { value } = this
    if (typeof value === 'string' && (o.matching === undefined || o.matching.test(value))) return value
    const received = typeof value === 'string' ? JSON.stringify(value) : typeOf(value)
    this.refuse(`expected ${o.what ?? 'a string'}, received ${received}`, `write ${o.what ?? 'a string'}`)
    return ''
  }

  integer(): number {
    const { value } = this
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
    this.refuse(`expected an integer, received ${typeOf(value)}`, 'write an integer')
    return 0
  }

  list(o: { readonly min?: number } = {}): readonly Reader[] {
    const { value } = this
    const min = o.min ?? 0
    if (Array.isArray(value) && value.length >= min) {
      return value.map((item: Json, at) => new Reader(item, `${this.path}[${at}]`, this.#misfits))
    }
    const what = min === 0 ? 'an array' : `an array of at least ${min}`
    this.refuse(`expected ${what}, received ${typeOf(value)}`, `write ${what}`)
    return []
  }

  /** A list of two strings, as a header or a form field. */
  pair(): readonly [string, string] {
    const { value } = this
    if (Array.isArray(value) && value.length === 2) {
      const [name, text]: readonly unknown[] = value
      if (typeof name === 'string' && typeof text === 'string') return [name, text]
    }
    this.refuse(`expected ["name", "value"], received ${typeOf(value)}`, 'write ["name", "value"]')
    return ['', '']
  }

  /** The members of an object whose names the file chooses, each at most once. */
  entries(): readonly (readonly [string, Reader])[] {
    const { value } = this
    if (value === undefined || !isObject(value)) {
      this.refuse(`expected an object, received ${typeOf(value)}`, 'write an object')
      return []
    }
    const members = membersOf(value)
    for (const [at, [name]] of members.entries()) {
      if (members.findIndex(([known]) => known === name) < at) {
        this.refuse(`the member ${name} occurs twice`, 'keep one')
      }
    }
    return members.map(([name, member]) => [name, new Reader(member, `${this.path}.${name}`, this.#misfits)] as const)
  }

  boolean(): boolean {
    if (typeof this.value === 'boolean') return this.value
    this.refuse(`expected true or false, received ${typeOf(this.value)}`, 'write true or false')
    return false
  }

  /** The members of an object whose names are all `known`, each at most once. */
  object(known: readonly string[]): Members {
    const { value } = this
    const members = new Map<string, Json>()
    if (value === undefined || !isObject(value)) {
      this.refuse(`expected an object, received ${typeOf(value)}`, `write an object of ${known.join(', ')}`)
      return new Members(this, members, this.#misfits)
    }
    for (const [name, member] of membersOf(value)) {
      if (!known.includes(name)) {
        const near = nearest(name, known)
        const hint = near === null ? `known: ${known.join(', ')}` : `did you mean ${near}?`
        this.refuse(`unknown member ${JSON.stringify(name)}; ${hint}`, near === null ? 'remove it' : `write ${near}`)
      } else if (members.has(name)) {
        this.refuse(`the member ${name} occurs twice`, 'keep one')
      }
      members.set(name, member)
    }
    return new Members(this, members, this.#misfits)
  }
}

/** The members of one object. */
export class Members {
  readonly #owner: Reader
  readonly #members: ReadonlyMap<string, Json>
  readonly #misfits: Misfit[]

  constructor(owner: Reader, members: ReadonlyMap<string, Json>, misfits: Misfit[]) {
    this.#owner = owner
    this.#members = members
    this.#misfits = misfits
  }

  member(name: string): Reader {
    return new Reader(this.#members.get(name), `${this.#owner.path}.${name}`, this.#misfits)
  }

  /** Which one of `names` is present; null, and a misfit, when none or several are. */
  oneOf<N extends string>(names: readonly N[]): N | null {
    const present = names.filter(name => this.#members.has(name))
    if (present.length === 1) return present[0] ?? null
    const received = present.length === 0 ? 'none' : present.join(' and ')
    this.#owner.refuse(`expected exactly one of ${names.join(', ')}, received ${received}`, 'keep exactly one')
    return null
  }
}

function typeOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value instanceof NumberToken) return 'a number'
  if (value instanceof MemberList) return 'an object'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
