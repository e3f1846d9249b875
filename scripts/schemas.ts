/**
 * `npm run schemas`: writes the JSON Schemas of every file a user or a program reads into `schemas/`.
 * With `--check` it writes nothing and names the ones that are not current, for `npm run check`.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { contractSchema } from '../src/contract/contract.ts'
import { decisionsSchema } from '../src/core/decisions.ts'
import { divergencesSchema } from '../src/core/divergences.ts'
import { toleranceSchema } from '../src/core/tolerance.ts'
import { calibrationSchema, manifestSchema } from '../src/golden/manifest.ts'
import { LabFileSchema } from '../src/lab/lab-file.ts'
import { LabLockSchema } from '../src/lab/lab-lock.ts'
import { EventSchema, ReportSchema } from '../src/report/schema.ts'
import { GoldenSchema, InputSchema } from './file-schemas.ts'

/** `as` is the side of the schema that stands in the file: what a user writes is input, what we write is output. */
const SCHEMAS: Readonly<Record<string, { readonly schema: z.ZodType; readonly as: 'input' | 'output' }>> = {
  calibration: { schema: calibrationSchema, as: 'output' },
  contract: { schema: contractSchema, as: 'input' },
  divergences: { schema: divergencesSchema, as: 'input' },
  event: { schema: EventSchema, as: 'output' },
  golden: { schema: GoldenSchema, as: 'output' },
  input: { schema: InputSchema, as: 'input' },
  lab: { schema: LabFileSchema, as: 'input' },
  'lab-lock': { schema: LabLockSchema, as: 'input' },
  manifest: { schema: manifestSchema, as: 'output' },
  report: { schema: ReportSchema, as: 'output' },
  rules: { schema: decisionsSchema, as: 'input' },
  tolerance: { schema: toleranceSchema, as: 'input' },
}

const folder = join(import.meta.dirname, '../schemas')

function schemaText(name: string, schema: z.ZodType, as: 'input' | 'output'): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: as })
  return `${JSON.stringify({ $schema, title: `vitest-parity: ${name}`, ...rest }, null, 2)}\n`
}

const wanted = new Map(
  Object.entries(SCHEMAS).map(([name, { schema, as }]) => [`${name}.schema.json`, schemaText(name, schema, as)]),
)
mkdirSync(folder, { recursive: true })
const present = new Map(readdirSync(folder).map(file => [file, readFileSync(join(folder, file), 'utf8')]))
const stale = [...new Set([...wanted.keys(), ...present.keys()])]
  .sort()
  .filter(file => wanted.get(file) !== present.get(file))

if (process.argv.includes('--check')) {
  for (const file of stale) console.log(`schemas/${file} is not current`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  for (const file of stale) {
    const text = wanted.get(file)
    if (text === undefined) rmSync(join(folder, file))
    else writeFileSync(join(folder, file), text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} schemas/${file}`)
  }
}
