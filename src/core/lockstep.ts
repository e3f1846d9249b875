import { isUtf8 } from 'node:buffer'
import {
  ARRAY_CLOSE,
  ARRAY_OPEN,
  BACKSLASH,
  beginsNumber,
  COLON,
  COMMA,
  continuesNumber,
  endOfNumber,
  endOfWord,
  escapeLength,
  OBJECT_CLOSE,
  OBJECT_OPEN,
  QUOTE,
  skipSpace,
} from './json-octets.ts'
import type { Json } from './json-value.ts'
import { close, differ, enlarge, type Lockstep, type Next, open, startLockstep, top } from './lockstep-trees.ts'
import type { MatchState } from './matcher.ts'

/** What two JSON texts are to each other: alike token by token, or a pair of sparse trees. */
export type InStep =
  | { readonly same: true }
  | { readonly same: false; readonly x: Json; readonly y: Json; readonly sparse: ReadonlySet<Json> }

/**
 * Walks two JSON texts in UTF-8 side by side and returns what differs between them; null where whole trees are needed:
 * one of them is not JSON, or too much differs for this to be quicker. Total, and without recursion.
 *
 * Equal text satisfies every rule, so no tree is made of it and no rule is looked up for it. Where the texts part:
 * 1. A value of another kind, or another scalar: both become trees.
 * 2. An object whose names part, or in which a member differs whose name occurs twice: both become trees.
 * 3. An array whose elements may be matched across positions becomes trees where they can meet: the whole array when its
 *    length changed or a rule says so, else the elements that differ when there are several.
 * 4. What holds these becomes sparse trees: an object has only the members that differ, in an array null stands in for
 *    the elements that do not. All of them are in `sparse`, and none is the value that it stands for.
 *
 * A comparison of the two trees that prints nothing of `sparse` is the comparison of the whole ones.
 */
export function inStep(golden: Uint8Array, actual: Uint8Array, root: MatchState): InStep | null {
  if (!isUtf8(golden) || !isUtf8(actual)) return null
  const walk = startLockstep(golden, actual, root)
  let next = atValue(walk)
  while (walk.depth > 0 || next !== 'after') {
    if (next === 'value') next = atValue(walk)
    else if (next === 'name') next = atName(walk)
    else if (next === 'after') next = afterValue(walk)
    else return null
  }
  const ended = skipSpace(walk.a, walk.i) === walk.a.length && skipSpace(walk.b, walk.j) === walk.b.length
  if (!ended) return null
  return walk.found === null ? { same: true } : { same: false, ...walk.found, sparse: walk.sparse }
}

/** Both texts stand before a value. */
function atValue(walk: Lockstep): Next {
  const { a, b } = walk
  const i = skipSpace(a, walk.i)
  const j = skipSpace(b, walk.j)
  walk.i = i
  walk.j = j
  const holder = top(walk)
  if (holder !== undefined) {
    holder.valueA = i
    holder.valueB = j
  }
  const octet = a[i]
  if (octet !== b[j]) return differ(walk)
  if (octet === QUOTE) {
    const passed = passString(walk)
    return passed === 'parted' ? differ(walk) : passed === 'same' ? 'after' : 'give-up'
  }
  if (octet === OBJECT_OPEN) return openObject(walk)
  if (octet === ARRAY_OPEN) return openArray(walk)
  const end = beginsNumber(octet) ? endOfNumber(a, i) : endOfWord(a, i)
  if (end === -1) return 'give-up'
  let at = i + 1
  let other = j + 1
  while (at < end && a[at] === b[other]) {
    at += 1
    other += 1
  }
  if (at < end || continuesNumber(b[other])) return differ(walk)
  walk.i = at
  walk.j = other
  return 'after'
}

function openObject(walk: Lockstep): Next {
  const { a, b } = walk
  open(walk, false)
  walk.i = skipSpace(a, walk.i + 1)
  walk.j = skipSpace(b, walk.j + 1)
  if (a[walk.i] !== OBJECT_CLOSE || b[walk.j] !== OBJECT_CLOSE) return 'name'
  walk.i += 1
  walk.j += 1
  return close(walk)
}

function openArray(walk: Lockstep): Next {
  const { a, b } = walk
  open(walk, true)
  walk.i = skipSpace(a, walk.i + 1)
  walk.j = skipSpace(b, walk.j + 1)
  const [left, right] = [a[walk.i] === ARRAY_CLOSE, b[walk.j] === ARRAY_CLOSE]
  if (!left && !right) return 'value'
  if (!left || !right) return enlarge(walk, walk.depth - 1)
  walk.i += 1
  walk.j += 1
  return close(walk)
}

/** Both texts stand before a member name, or should. */
function atName(walk: Lockstep): Next {
  const { a, b } = walk
  const frame = top(walk)
  if (frame === undefined) return 'give-up'
  walk.i = skipSpace(a, walk.i)
  walk.j = skipSpace(b, walk.j)
  if (a[walk.i] !== QUOTE || b[walk.j] !== QUOTE) return enlarge(walk, walk.depth - 1)
  const start = walk.i + 1
  const passed = passString(walk)
  if (passed === 'parted') return enlarge(walk, walk.depth - 1)
  if (passed === 'broken') return 'give-up'
  if (walk.escaped) frame.escaped = true
  walk.names[walk.namesEnd] = start
  walk.names[walk.namesEnd + 1] = walk.i - 1
  walk.namesEnd += 2
  walk.i = skipSpace(a, walk.i)
  walk.j = skipSpace(b, walk.j)
  if (a[walk.i] !== COLON || b[walk.j] !== COLON) return 'give-up'
  walk.i += 1
  walk.j += 1
  return 'value'
}

/** Both texts stand behind a value of the innermost container. */
function afterValue(walk: Lockstep): Next {
  const { a, b } = walk
  const frame = top(walk)
  if (frame === undefined) return 'give-up'
  walk.i = skipSpace(a, walk.i)
  walk.j = skipSpace(b, walk.j)
  const octet = a[walk.i]
  if (octet !== b[walk.j]) return enlarge(walk, walk.depth - 1)
  if (octet === COMMA) {
    frame.at += 1
    walk.i += 1
    walk.j += 1
    return frame.isArray ? 'value' : 'name'
  }
  if (octet !== (frame.isArray ? ARRAY_CLOSE : OBJECT_CLOSE)) return 'give-up'
  walk.i += 1
  walk.j += 1
  return close(walk)
}

/** Passes a string that both texts have alike. `parted`: they differ, and nothing is passed; `broken`: it is no string. */
function passString(walk: Lockstep): 'same' | 'parted' | 'broken' {
  const { a, b } = walk
  let i = walk.i + 1
  let j = walk.j + 1
  let escaped = false
  for (;;) {
    const octet = a[i]
    if (octet !== b[j]) return 'parted'
    if (octet === QUOTE) break
    if (octet === BACKSLASH) {
      const length = escapeLength(a, i)
      if (length === 0) return 'broken'
      for (let at = 1; at < length; at += 1) if (a[i + at] !== b[j + at]) return 'parted'
      escaped = true
      i += length
      j += length
    } else if (octet === undefined || octet < 0x20) return 'broken'
    else {
      i += 1
      j += 1
    }
  }
  walk.i = i + 1
  walk.j = j + 1
  walk.escaped = escaped
  return 'same'
}
