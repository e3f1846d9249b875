import { z } from 'zod'
import { BoundaryFile } from './boundaries.ts'
import { RUNGS } from './container/spec.ts'

export const Name = z.string().regex(/^[a-z0-9-]+$/, 'lower-case letters, digits and hyphens')
const Version = z.string().regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/, 'one exact version, as 3.21.2')
const Instant = z.iso.datetime({ message: 'an instant in UTC, as 2026-01-02T03:04:05Z' })
export const Call = z.string().regex(/^[A-Z]+ \/\S*$/, 'a method and a path, as GET /rates')
export const Status = z.int().min(100).max(599)
export const Command = z.tuple([z.string().min(1)], z.string(), {
  error: 'expected a list of words, the program first\nFix: write it as [node, app.js]',
})
export const Versions = z.record(z.string().min(1), Version).default({})

const Zone = z.string().refine(isZone, 'expected a time zone by name\nFix: write it as UTC, or Europe/Berlin')

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** What stands in every lab.yaml, whatever runs it. */
export const labHead = {
  $schema: z.string().optional(),
  id: Name,
  claim: z.string().min(1).describe('What this environment shows'),
  needs: z.enum(RUNGS).optional().describe('The rung of the fidelity ladder that the claim needs'),
  revision: z.string().min(1).describe('The pinned revision of the legacy'),
  clock: Instant.nullable().default(null).describe('The instant that the legacy runs at'),
  tz: Zone.default('UTC').describe('Also of the run that replays its goldens'),
  locale: z.string().min(1).default('C.UTF-8'),
  maxAgeDays: z.int().min(1).optional().describe('How long a calibration holds; for ever when absent'),
  boundaries: z.array(BoundaryFile).default([]).describe('What the legacy depends on, and what stands for it'),
  determinism: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('What would differ between two runs, and what is done about it'),
  constraints: z.array(z.string().min(1)).default([]).describe('What has to be kept to where it is used'),
  gaps: z.array(z.string().min(1)).default([]).describe('What this environment does not prove'),
}
