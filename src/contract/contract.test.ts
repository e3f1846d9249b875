import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseContract, readContract, sectionsOf } from './contract.ts'

const root = mkdtempSync(join(tmpdir(), 'parity contract ü '))
afterAll(() => rmSync(root, { recursive: true }))

const parse = (text: string) => parseContract(text, { file: 'contract.yaml', feature: 'forex' })
const least = 'feature: forex\nrevision: forex-1\n'

function refusalOf(text: string): string {
  try {
    parse(text)
  } catch (error) {
    return String(error)
  }
  return 'nothing was refused'
}

describe('a contract', () => {
  test('has what it does not say by default', () => {
    const { id: _, ...contract } = parse(least)
    expect(contract).toEqual({
      feature: 'forex',
      tier: 'standard',
      lab: null,
      revision: 'forex-1',
      sends: [],
      reset: 'none',
      probe: null,
      headers: null,
      outputs: {},
      checkable: {},
      errors: {},
      rules: {},
      edges: {},
      invariants: {},
      sideEffects: [],
      principals: {},
      legacyBugs: {},
      inputsFrom: 'forex',
      fixturesFrom: 'forex',
    })
  })

  test('has an id of its value: order, comments and spelled-out defaults take no part', () => {
    const { id } = parse(least)
    expect(parse('# x\n$schema: y\nrevision: "forex-1"\nfeature: forex\ntier: standard\nreset: none\n').id).toBe(id)
    expect(parse(`${least}reset: case\n`).id).not.toBe(id)
  })

  test('shares the inputs of another feature, or its fixtures and then its inputs as well', () => {
    expect(parse(`${least}inputs: orders\n`)).toMatchObject({ inputsFrom: 'orders', fixturesFrom: 'forex' })
    expect(parse(`${least}fixtures: orders\n`)).toMatchObject({ inputsFrom: 'orders', fixturesFrom: 'orders' })
  })

  test('lists its sections by kind', () => {
    const text = `${least}edges: {b: x}\nerrors: {e: [$.x]}\noutputs: {o: [$.y]}\nlegacyBugs: {BUG-1: z}\n`
    expect(sectionsOf(parse(text))).toEqual(['outputs.o', 'errors.e', 'edges.b', 'legacyBugs.BUG-1'])
  })

  const wrong: readonly [string, string, readonly string[]][] = [
    ['an unknown key, naming the nearest', `${least}teir: heavy\n`, ['contract.yaml:3:1', 'teir', 'tier']],
    [
      'an unknown tier, naming the known ones',
      `${least}tier: havy\n`,
      ['contract.yaml:3:7', 'heavy, standard or trivial'],
    ],
    ['an unknown reset', `${least}reset: cases\n`, ['contract.yaml:3:8', 'case']],
    ['no revision', 'feature: forex\n', ['contract.yaml:1:1', 'revision']],
    ['a key twice', `${least}feature: forex\n`, ['contract.yaml:3:1', 'feature']],
    ['a tab', `${least}outputs:\n\tconvert: [$.a]\n`, ['contract.yaml:4:1', 'tab']],
    [
      'another feature',
      'feature: forx\nrevision: a\n',
      ['contract.yaml:1:10', 'the feature forx', 'write `feature: forex`'],
    ],
    ['a query that is none', `${least}outputs: {convert: ['$.a[?@.b=']}\n`, ['contract.yaml:3:21', '$.a[?@.b=']],
    ['a path that is none', `${least}outputs: {convert: [$.a, amount]}\n`, ['contract.yaml:3:26', 'amount']],
    ['a method in small letters', `${least}sends: [post /x]\n`, ['contract.yaml:3:9', 'POST /convert']],
    ['a query in sends', `${least}sends: ["POST /x?a=1"]\n`, ['contract.yaml:3:9']],
    [
      'checkable without an output',
      `${least}checkable: {convert: elsewhere}\n`,
      ['contract.yaml:3:13', 'convert is not one of the outputs (none)'],
    ],
    ['inputs beside fixtures', `${least}inputs: a\nfixtures: b\n`, ['contract.yaml:3:1', 'stand together']],
    [
      'a credential in a principal',
      `${least}principals: {ana: {header: A, env: B, value: C}}\n`,
      ['contract.yaml:3:', 'value'],
    ],
  ]
  test('takes any query of RFC 9535 for a field', () => {
    expect(parse(`${least}errors: {e: ["$.a[?(@.b)]", "$.a[-1]"]}\n`).errors).toEqual({ e: ['$.a[?(@.b)]', '$.a[-1]'] })
  })

  test.each(wrong)('with %s is refused with its place', (_name, text, parts) => {
    const message = refusalOf(text)
    expect(message).toContain('\nFix: ')
    for (const part of parts) expect(message).toContain(part)
  })

  test('is read from the folder of its feature', () => {
    mkdirSync(join(root, 'forex'))
    writeFileSync(join(root, 'forex', 'contract.yaml'), least)
    expect(readContract(root, 'forex').revision).toBe('forex-1')
    expect(() => readContract(root, 'orders')).toThrow(/there is no contract for the feature orders\nFix: /)
  })
})
