/** Recording from a lab whose service is called: once for each step, with its own environment. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/lab-folder.ts'
import { type RecordReport, recordFeature } from './record.ts'

interface Called {
  /** Source of double.cjs; `input` is what it got. */
  readonly app?: string
  readonly call?: string
  readonly step?: object
}

async function recorded(
  o: Called,
  timeoutMs = 10_000,
): Promise<{ report: RecordReport; golden: () => Promise<string> }> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  const files = {
    'parity/double/contract.yaml': 'feature: double\nlab: double\nrevision: r1\noutputs: { double: [$.double] }\n',
    'parity/double/inputs/001-happy-one.json': JSON.stringify({ covers: [], steps: [o.step ?? { input: 21 }] }),
    'tolerance/double.yaml': 'exact: [$.double]\n',
    'labs/double/double.cjs': `const input = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))\n${o.app ?? ''}`,
    'labs/double/lab.yaml': `id: double\nclaim: doubles\nrevision: r1\ndriver: process\nisolation: none
services: { app: { call: ${o.call ?? '[node, double.cjs]'}, env: { UNIT: pieces } } }\n`,
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), text)
  }
  const signal = new AbortController().signal
  const report = await recordFeature({ root: folder.path, feature: 'double', signal, timeoutMs })
  return { report, golden: () => readFile(join(folder.path, '__golden__/double/001-happy-one.json'), 'utf8') }
}

test('freezes what the program printed, said and exited with', async () => {
  const app = `console.log(JSON.stringify({ double: input * 2, unit: process.env.UNIT })); console.error('done'); process.exit(3)`
  const { report, golden } = await recorded({ app })
  expect(report.incomplete).toEqual([])
  expect(JSON.parse(await golden()).steps).toEqual([
    { command: { exit: 3, stdout: { json: { double: 42, unit: 'pieces' } }, stderr: 'done\n' } },
  ])
})

test('freezes nothing of a program that does not end', async () => {
  const { report, golden } = await recorded({ app: 'setInterval(() => {}, 1000)' }, 700)
  expect(report.incomplete).toMatchObject([{ name: '001-happy-one', fault: { reason: 'timeout' } }])
  await expect(golden()).rejects.toThrow('ENOENT')
})

test('says that the program is missing before anything is driven', async () => {
  await expect(recorded({ call: '[cobol-9000]' })).rejects.toMatchObject({ reason: 'dependency-missing' })
})

test('refuses a request where the legacy is called', async () => {
  const step = { request: { method: 'GET', path: '/double' } }
  await expect(recorded({ step })).rejects.toMatchObject({ code: 'PARITY_TARGET_KIND' })
})
