import type { Way, WaySeen } from '../tools/egress-probe.ts'
import type { Escape } from './egress-targets.ts'
import type { EgressRow } from './spec.ts'

/** What came of the ways by id, and what was sent along with them. */
export interface Tried {
  readonly seen: ReadonlyMap<string, WaySeen>
  readonly token: string
}

/**
 * The row of one escape from one service. Open: a way got through from inside, what it sent is among what `arrived` outside
 * although no answer came back, or a way has no result. Else closed where a way of the control got through, and unproven
 * where none did.
 */
export function rowOf(
  service: string,
  { probe, target, ways, controls = ways }: Escape,
  o: { readonly controls: Tried | undefined; readonly inside: Tried | undefined; readonly arrived: string },
): EgressRow {
  const seenOf = (all: readonly Way[], by: Tried | undefined): WaySeen[] =>
    all.flatMap(({ id }) => by?.seen.get(id) ?? [])
  const out = seenOf(ways, o.inside).map(each =>
    !each.through && o.arrived.includes(`${o.inside?.token} ${each.id}\n`)
      ? { ...each, through: true, seen: 'arrived, unanswered' }
      : each,
  )
  const reached = seenOf(controls, o.controls)
  const isOpen = out.length < ways.length || out.some(({ through }) => through)
  const isProven = reached.some(({ through }) => through)
  return {
    service,
    probe,
    target,
    control: told(reached),
    seen: told(out),
    state: isOpen ? 'open' : isProven ? 'closed' : 'unproven',
  }
}

/** What decided: what got through, or how the others failed. */
function told(all: readonly WaySeen[]): string {
  const through = all.filter(each => each.through)
  return [...new Set((through.length > 0 ? through : all).map(({ seen }) => seen))].sort().join(', ') || 'not tried'
}
