/** How the lab of a live suite ends, or does not begin: the cause fails once, and what depends on it is blocked. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, isAlive } from '../../test/lab-folder.ts'
import { answering, get, lineOf, openLiveFolder } from '../../test/live-folder.ts'

const inputs = { '001-happy-a': get('/a'), '002-happy-b': get('/b'), '003-happy-c': get('/c') }
/** Each process says where it is found, and which one it is: the legacy boots first. */
const TOLD = `const order = process.env.TOLD; let name = 'legacy'
try { fs.writeFileSync(order + '.legacy', String(process.pid), { flag: 'wx' }) }
catch { name = 'control'; fs.writeFileSync(order + '.control', String(process.pid)) }`

const folder = mkdtempSync(join(tmpdir(), 'live-told-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let labs = 0

/** A lab whose processes can be told apart, and where their ids lie. */
function told(legacy: string) {
  labs += 1
  const path = join(folder, String(labs))
  const pidOf = (name: 'legacy' | 'control'): number => Number(readFileSync(`${path}.${name}`, 'utf8'))
  const text = { legacy, before: TOLD, inputs, service: `env: { TOLD: "${path}" }` }
  return { text, pidOf }
}

const candidate = answering({ n: 1 })

test('a lab that does not boot is tried once more, and answers then', async () => {
  const tried = join(folder, 'tried')
  const before = `if (!fs.existsSync('${tried}')) { fs.writeFileSync('${tried}', ''); throw new Error('the table is locked') }`
  await using suite = openLiveFolder({ legacy: 'json(response, { n: 1 })', before, inputs }, { candidate })
  expect(await suite.gate('lab')).toMatchObject({ state: 'ok', text: expect.stringMatching(/, at the second try$/) })
  expect(lineOf(await suite.check('001-happy-a'))).toBe('PARITY')
})

describe('a legacy that ends while the suite runs', () => {
  test.each(['legacy', 'control'] as const)(
    'killed as the %s: the case that met it says how, the others are blocked',
    async which => {
      const { text, pidOf } = told('json(response, { n: 1 })')
      await using suite = openLiveFolder(text, { candidate })
      await suite.gate('lab')
      process.kill(pidOf(which), 'SIGKILL')
      await eventually(() => !isAlive(pidOf(which)))
      const met = await suite.check('001-happy-a')
      expect(met).toMatchObject({ state: 'UNVERIFIABLE', reason: 'lab-boot', cause: null })
      const whose = which === 'control' ? ' (its control)' : ''
      expect(lineOf(met)).toBe(
        `lab-boot: lab small${whose}: the legacy was ended by SIGKILL\n  its last 1 lines:\n  listens`,
      )
      for (const name of ['002-happy-b', '003-happy-c', '001-happy-a']) {
        const blocked = await suite.check(name)
        expect(blocked).toMatchObject({ reason: 'blocked', cause: { gate: 'lab', reason: 'lab-boot' } })
        expect(lineOf(blocked)).toBe(`blocked: the lab gate failed: lab small${whose}: the legacy was ended by SIGKILL`)
      }
    },
  )

  test('by a request: the same, and it is not booted again where the contract resets per case', async () => {
    const legacy =
      "if (request.url === '/b') { console.log('cannot open the table'); process.exit(3) } json(response, { n: 1 })"
    const text = { legacy, inputs, contract: 'reset: case\n' }
    await using suite = openLiveFolder(text, { candidate })
    expect(lineOf(await suite.check('001-happy-a'))).toBe('PARITY')
    expect(lineOf(await suite.check('002-happy-b'))).toBe(
      'lab-boot: lab small: the legacy ended with exit code 3\n  its last 2 lines:\n  listens\n  cannot open the table',
    )
    expect(await suite.check('003-happy-c')).toMatchObject({ reason: 'blocked', cause: { reason: 'lab-boot' } })
  })

  test('between two cases: it is not started again, although the contract has it reset before the next one', async () => {
    const { text, pidOf } = told(
      "if (request.url === '/b') response.on('finish', () => process.exit(3)); json(response, { n: 1 })",
    )
    await using suite = openLiveFolder({ ...text, contract: 'reset: case\n' }, { candidate })
    await suite.check('002-happy-b')
    await eventually(() => !isAlive(pidOf('legacy')))
    expect(lineOf(await suite.check('003-happy-c'))).toMatch(
      /^lab-boot: lab small: the legacy ended with exit code 3\n/,
    )
    expect(await suite.check('001-happy-a')).toMatchObject({ reason: 'blocked', cause: { reason: 'lab-boot' } })
  })

  test('when the suite is closed nothing of it is left', async () => {
    const { text, pidOf } = told('json(response, { n: 1 })')
    const suite = openLiveFolder(text, { candidate })
    await suite.gate('lab')
    const pids = [pidOf('legacy'), pidOf('control')]
    expect(pids.map(isAlive)).toEqual([true, true])
    await suite[Symbol.asyncDispose]()
    expect(pids.map(isAlive)).toEqual([false, false])
  })
})

describe('a lab that does not boot', () => {
  test('fails its gate once, with the log; every live case is blocked in one line', async () => {
    const text = { legacy: '', before: "console.log('no licence'); process.exit(1)", inputs }
    await using suite = openLiveFolder(text, { candidate })
    expect(await suite.gate('lab')).toMatchObject({
      state: 'failed',
      reason: 'lab-boot',
      text: expect.stringMatching(
        /^lab small ended with exit code 1 before it was ready: .*\n {2}its last 1 lines:\n {2}no licence$/,
      ),
      remedy: expect.stringContaining('read the log above'),
    })
    expect(lineOf(await suite.check('001-happy-a'))).toMatch(
      /^blocked: the lab gate failed: lab small ended with exit code 1[^\n]*$/,
    )
  })

  test('for want of its program is dependency-missing', async () => {
    await using suite = openLiveFolder({ legacy: '', inputs }, { candidate })
    const path = join(suite.root, 'labs/small/lab.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('[node,', '[no-such-program,'))
    expect(await suite.gate('lab')).toMatchObject({ state: 'failed', reason: 'dependency-missing' })
    expect(await suite.check('001-happy-a')).toMatchObject({ cause: { gate: 'lab', reason: 'dependency-missing' } })
  })
})

test('control-degraded: one of the two legacies answers empty where the other has content', async () => {
  for (const empty of ['legacy', 'control']) {
    const { text } = told(`json(response, name === '${empty}' ? [] : [1])`)
    await using suite = openLiveFolder({ ...text, tolerance: 'order_insensitive: [$]\n' }, { candidate })
    const full = empty === 'legacy' ? 'control' : 'legacy'
    expect(lineOf(await suite.check('001-happy-a'))).toBe(
      `control-degraded: the ${empty} answered empty where the ${full} has json`,
    )
  }
})
