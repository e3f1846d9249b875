/**
 * Shapes of the JSON files whose reader is written by hand, because it keeps numbers and repeated names as written:
 * inputs and goldens. For editors only; `test/schemas.test.ts` holds them against every file in the repository.
 */
import { z } from 'zod'

const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const Fields = z.array(z.tuple([z.string(), z.string()])).describe('Names and values in wire order; names may repeat')
const Json = z.unknown().describe('Any JSON; numbers and strings stay as written')

const Body = z
  .union([
    z.strictObject({ json: Json }),
    z.strictObject({ text: z.string() }),
    z.strictObject({ form: Fields }),
    z.strictObject({ base64: z.string() }),
    z.strictObject({ file: z.string().describe('A file beside this one, named by its hash') }),
  ])
  .describe('Exactly one of json, text, form, base64 and file')

const Request = z.strictObject({
  method: z.string(),
  path: z
    .string()
    .regex(/^(?:\/|\{\{[A-Za-z_])/)
    .describe('Path and query, percent-encoded; a {{link}} that an earlier step bound may stand at its beginning'),
  headers: Fields.optional(),
  body: Body.optional(),
})

const Sequence = {
  bind: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .optional()
    .describe('What later steps take from the answer of the same side, as {{name}}: $.id, header.location, cookie.sid'),
  same: z
    .record(z.string(), z.string())
    .optional()
    .describe('Where the answer has to repeat bound values: { "$.postId": "{{id}}" }'),
  given: z.boolean().optional().describe('It only builds the starting state: it must succeed, and is not compared'),
}
const Caller = { as: z.string().optional().describe('Who calls: a principal of the contract') }

/** `parity/<feature>/inputs/<case>.json` */
export const InputSchema = z
  .strictObject({
    $schema: z.string().optional(),
    covers: z.array(z.string()).optional().describe('Sections of the contract, as errors.unknown-currency'),
    steps: z
      .array(
        z.union([
          z.strictObject({ request: Request, ...Sequence, ...Caller }),
          z.strictObject({ input: Json, ...Sequence }),
        ]),
      )
      .min(1),
    now: z.iso.datetime().optional().describe("The instant that both sides run at; default the lab's clock"),
    class: z.string().optional().describe('Equivalence class; default method and route'),
  })
  .describe('One case of the corpus')

const GoldenStep = z.union([
  z.strictObject({ response: z.strictObject({ status: z.int(), headers: Fields, body: Body.optional() }) }),
  z.strictObject({ output: Json }),
  z.strictObject({
    threw: z.strictObject({ name: z.string(), code: z.string().nullable(), message: z.string() }),
  }),
  z.strictObject({ command: z.strictObject({ exit: z.int(), stdout: Body.optional(), stderr: z.string() }) }),
])

/** `__golden__/<feature>/<case>.json` */
export const GoldenSchema = z
  .strictObject({
    format: z.literal(1),
    id: Hash.describe('SHA-256 of the compact text of steps'),
    input: Hash.describe('SHA-256 of the compact text of the steps and the instant of the input'),
    steps: z.array(GoldenStep).min(1),
  })
  .describe('What the legacy answered. Written by vitest-parity record, never by hand')
