import { z } from 'zod'
import type { ParityError } from '../errors.ts'
import type { Boundary } from './container/spec.ts'

/** Makes the error of one place in lab.yaml. */
export type Invalid = (where: readonly string[], message: string, fix: string) => ParityError

/** One thing that the legacy depends on, as written. */
export const BoundaryFile = z
  .strictObject({
    name: z.string().min(1),
    mode: z.enum(['real', 'ephemeral-real', 'emulator', 'virtual-service', 'fake', 'unavailable']),
    service: z.string().min(1).optional().describe('The service that stands for it'),
    version: z.string().min(1).optional(),
    reason: z.string().min(1).describe('Why this mode is enough for the claim'),
    gaps: z.array(z.string().min(1)).default([]).describe('What of the real one it does not keep'),
  })
  .transform((file): Boundary => ({ ...file, service: file.service ?? null, version: file.version ?? null }))

/** **Throws** what `invalid` makes of the first boundary that does not fit the services, or the others. */
export function checkBoundaries(
  { boundaries, services }: { readonly boundaries: readonly Boundary[]; readonly services: object },
  invalid: Invalid,
): void {
  boundaries.forEach(({ name, service, mode }, index) => {
    const where = ['boundaries', String(index)]
    if (boundaries.findIndex(each => each.name === name) < index) {
      throw invalid([...where, 'name'], `there are two boundaries ${name}`, 'keep one of them, or name them apart')
    }
    if (service !== null && !Object.hasOwn(services, service)) {
      const known = Object.keys(services).join(', ')
      throw invalid([...where, 'service'], `there is no service ${service}`, `write one of ${known}`)
    }
    if (service !== null && (mode === 'unavailable' || mode === 'real')) {
      const what = `${mode}, but the service ${service} stands for it`
      throw invalid([...where, 'mode'], what, 'remove service, or correct mode')
    }
  })
}
