import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalText } from '../../src/core/canonical.ts'
import { parseJson, textOf, toJson } from '../../src/core/json.ts'
import { differencesOf, filesIn, notesOf, respondJson, rulesOf, textIn } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

/** RFC 8785: one document in two spellings, and numbers by their bits. */
export const jcs: Suite = {
  name: 'jcs',
  folder: 'conformance/jcs',
  run(folder) {
    const files = filesIn(folder)
    return [
      {
        name: 'jcs documents',
        results: files.filter(file => /(?:^|\/)input\//.test(file)).map(file => documents(folder, file)),
      },
      {
        name: 'jcs octets',
        results: files.filter(file => file.startsWith('outhex/')).map(file => octets(folder, file)),
      },
      { name: 'jcs numbers', results: textIn(folder, 'es6numbers/lines-1-1000.csv').trim().split('\n').map(number) },
    ]
  },
}

const NUMBER = /"(?:[^"\\]|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g
const EXACT = rulesOf('exact: [$]')

/** The number texts of a document, outside its strings, sorted. */
function numbersOf(text: string): string {
  return [...text.matchAll(NUMBER)]
    .flatMap(([, found]) => found ?? [])
    .sort()
    .join()
}

function documents(folder: string, file: string): Result {
  const [input, output] = [textIn(folder, file), textIn(folder, file.replace(/(^|\/)input\//, '$1output/'))]
  const [golden, actual] = [respondJson(input), respondJson(output)]
  const faults = [...differencesOf(golden, actual), ...differencesOf(actual, golden)]
  const spelt = numbersOf(input) !== numbersOf(output)
  if (notesOf(golden, actual).includes('builtin:number-text') !== spelt)
    faults.push(`number text differs: ${spelt}, and the note does not say so`)
  if (differencesOf(golden, actual, EXACT).length > 0 !== spelt) faults.push('under exact: not told as it differs')
  const [left, right] = [canonicalText(JSON.parse(input)), canonicalText(JSON.parse(output))]
  if (left !== right) faults.push('the two spellings of one document have two canonical texts')
  const first = JSON.parse(output)
  const changed = Array.isArray(first) ? [...first, 0] : { ...first, changed: 0 }
  if (canonicalText(changed) === right) faults.push('a changed document has the same canonical text')
  if (differencesOf(golden, respondJson(JSON.stringify(changed))).length !== 1)
    faults.push('an added value is not one difference')
  return judged(file, faults)
}

function octets(folder: string, file: string): Result {
  const bytes = Buffer.from(textIn(folder, file).replace(/\s+/g, ''), 'hex')
  const output = readFileSync(join(folder, file.replace('outhex/', 'output/').replace('.txt', '.json')))
  const [golden, actual] = [respondJson(bytes), respondJson(output)]
  return judged(file, [...differencesOf(golden, actual), ...notesOf(golden, actual)])
}

/** A double, by its bits, and its shortest text: the number is read and written as that, and its neighbour differs. */
function number(line: string): Result {
  const [bits = '', text = ''] = line.split(',')
  const double = doubleOf(BigInt(`0x${bits}`))
  const made = toJson(double)
  const parsed = parseJson(text)
  const faults: string[] = []
  if (!parsed.ok || !made.ok) return judged(line, ['does not parse'])
  const written = textOf(made.value)
  if (written !== (Object.is(double, -0) ? '-0' : text)) faults.push(`written as ${written}`)
  if (textOf(parsed.value) !== text) faults.push(`kept as ${textOf(parsed.value)}`)
  if (Object.is(double, -0) ? text !== '0' : Number(text) !== double) faults.push('another double')
  faults.push(...differencesOf(respondJson(written), respondJson(text)))
  const neighbour = JSON.stringify(doubleOf(BigInt(`0x${bits}`) ^ 1n))
  if (differencesOf(respondJson(text), respondJson(neighbour)).length !== 1)
    faults.push(`its neighbour ${neighbour} is not told apart`)
  return judged(line, faults)
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}
