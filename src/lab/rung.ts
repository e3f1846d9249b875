import type { Boundary, Rung } from './container/spec.ts'
import type { LabFile } from './lab-file.ts'

/** How near to the real thing a lab comes, and what it does not show. */
export interface Fidelity {
  readonly claim: string
  readonly driver: LabFile['driver']
  readonly isolation: LabFile['isolation']
  /** The rung that the claim needs; null where lab.yaml says none. */
  readonly needs: Rung | null
  /** The rung that the lab comes to. */
  readonly rung: Rung
  readonly boundaries: readonly Boundary[]
  /** What the lab does not prove; of a boundary with its name before it. */
  readonly gaps: readonly string[]
}

/**
 * The rung of the fidelity ladder that a lab comes to when it runs, the highest of:
 * 1. L1: a program that is run by itself, once for each step;
 * 2. L2: a service that is asked over its protocol;
 * 3. L3: a boundary is `ephemeral-real` or `emulator`: a database, a broker or the like, of its kind and thrown away;
 * 4. L4: two services or more stand for no boundary, one boundary is `virtual-service`, and none is `fake` or `unavailable`;
 * 5. L5: a boundary is `real`.
 */
export function rungReached({ services, boundaries }: Pick<LabFile, 'services' | 'boundaries'>): Rung {
  const modes = boundaries.map(({ mode }) => mode)
  const standIns = new Set(boundaries.map(({ service }) => service))
  const legacies = Object.keys(services).filter(name => !standIns.has(name))
  if (modes.includes('real')) return 'L5'
  const simulated = modes.includes('virtual-service') && !modes.includes('fake') && !modes.includes('unavailable')
  if (legacies.length > 1 && simulated) return 'L4'
  if (modes.includes('ephemeral-real') || modes.includes('emulator')) return 'L3'
  return Object.values(services).every(service => 'call' in service) ? 'L1' : 'L2'
}

export function fidelityOf(file: LabFile): Fidelity {
  const { claim, driver, isolation, needs, boundaries, gaps } = file
  return {
    claim,
    driver,
    isolation,
    needs: needs ?? null,
    rung: rungReached(file),
    boundaries,
    gaps: [...gaps, ...boundaries.flatMap(({ name, gaps: own }) => own.map(gap => `${name}: ${gap}`))],
  }
}
