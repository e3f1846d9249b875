import { isObject, type Json, membersOf } from './json.ts'
import type { MatchState } from './matcher.ts'
import type { Rule } from './tolerance.ts'

/** Tells each node of a document that a rule governs first: a subtree under one rule counts once. Iterative. */
export function countSelected(document: Json, root: MatchState, tell: (rule: Rule) => void): void {
  const stack: { readonly value: Json; readonly state: MatchState; readonly above: Rule | null }[] = [
    { value: document, state: root, above: null },
  ]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { value, state, above } = node
    if (state.rule !== null && state.rule !== above) tell(state.rule)
    if (state.inert) continue
    if (Array.isArray(value)) {
      for (const [at, element] of value.entries())
        stack.push({ value: element, state: state.item(at), above: state.rule })
    } else if (isObject(value)) {
      for (const [name, member] of membersOf(value)) {
        stack.push({ value: member, state: state.child(name), above: state.rule })
      }
    }
  }
}
