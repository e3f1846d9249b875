import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { decodeBody } from '../../src/core/bodies.ts'
import type { FieldList, Observation } from '../../src/model.ts'
import { differencesOf, filesIn, respond, rulesOf, textIn } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

const partSchema = z.object({
  name: z.string(),
  file_name: z.string().optional(),
  content_type: z.string().optional(),
  data: z.instanceof(Uint8Array),
})
type Part = z.infer<typeof partSchema>
const caseSchema = z.object({
  boundary: z.string(),
  expected: z.union([z.array(partSchema), z.object({ error: z.number() })]),
})

/**
 * Multipart bodies. The expected parts, written out plainly under another boundary, are the same document; with one octet
 * changed they are not. What must fail is read as text or binary, with a note.
 */
export const multipart: Suite = {
  name: 'multipart',
  folder: 'conformance/multipart',
  run(folder) {
    const names = filesIn(folder)
      .filter(file => file.endsWith('.http'))
      .map(file => file.slice(0, -'.http'.length))
    return [{ name: 'multipart', results: names.map(name => compared(folder, name)) }]
  },
}

function compared(folder: string, name: string): Result {
  const { boundary, expected } = caseSchema.parse(parse(textIn(folder, `${name}.yaml`)))
  const given = respond(typeOf(boundary), readFileSync(join(folder, `${name}.http`)))
  const faults = differencesOf(given, given).map(line => `against itself: ${line}`)
  const kind = kindOf(given)
  if (!Array.isArray(expected)) {
    if (kind !== 'text' && kind !== 'binary') faults.push(`must fail, and is read as ${kind}`)
    else if (!noted(given)) faults.push('fails without a note')
    return judged(name, faults)
  }
  // A field has the type text/plain, said or not (RFC 7578 section 4.4), and the corpus gives it or leaves it out at will.
  const untyped = expected.flatMap(({ file_name: file }, at) => (file === undefined ? [`$[${at}].type`] : []))
  const rules = rulesOf(untyped.length === 0 ? '' : JSON.stringify({ ignore: untyped }))
  faults.push(...differencesOf(given, written(expected), rules), ...differencesOf(written(expected), given, rules))
  for (const [at, part] of expected.entries()) {
    const changed = expected.with(at, { ...part, data: Buffer.concat([part.data, Buffer.from('~')]) })
    if (differencesOf(given, written(changed), rules).length === 0)
      faults.push(`an octet more in part ${at} is not told`)
  }
  return judged(name, faults)
}

function typeOf(boundary: string): FieldList {
  return [['Content-Type', `multipart/form-data; boundary="${boundary}"`]]
}

/** Parts as a body. Source: RFC 7578. */
function written(parts: readonly Part[]): Observation {
  const boundary = 'another-boundary-of-ours'
  const chunks = parts.flatMap(({ name, file_name: file, content_type: type, data }) => {
    const disposition = `form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\n`
    return [
      Buffer.from(`${head}${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`),
      data,
      Buffer.from('\r\n'),
    ]
  })
  return respond(typeOf(boundary), Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]))
}

function decoded([step]: Observation) {
  if (step?.kind !== 'response') return null
  const { headers, body, status } = step.response
  return decodeBody({ headers, body, method: step.method, status })
}

function kindOf(observation: Observation): string {
  return decoded(observation)?.kind ?? ''
}

function noted(observation: Observation): boolean {
  return decoded(observation)?.notes.some(({ id }) => id === 'builtin:content-type') ?? false
}
