import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rulesOf } from '../../test/observations.ts'
import { answered, get, post } from '../../test/sequences.ts'
import type { InputStep, Observation } from '../model.ts'
import { compare } from './diff.ts'

const RULES = rulesOf('{}')

/** A world of things with ids: how many, and which of them later answers show, in which order. */
const worlds = fc.integer({ min: 2, max: 5 }).chain(count =>
  fc.record({
    count: fc.constant(count),
    shown: fc.array(fc.array(fc.nat(count - 1), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
    legacy: fc.nat(1_000),
    candidate: fc.nat(1_000),
    isNumber: fc.boolean(),
  }),
)
type World = Parameters<Parameters<typeof worlds.map>[0]>[0]

/** One side: every thing is created and bound, then the answers show some of them. */
function side(world: World, first: number): Observation {
  const id = (thing: number): string | number => (world.isNumber ? first + thing : `t${first + thing}`)
  const created = Array.from({ length: world.count }, (_, thing) =>
    answered(JSON.stringify({ id: id(thing), name: `n${thing}` })),
  )
  const shown = world.shown.map(things =>
    answered(JSON.stringify(things.map(thing => ({ id: id(thing), name: `n${thing}`, at: thing })))),
  )
  return [...created, ...shown]
}

function stepsOf(world: World): readonly InputStep[] {
  const created = Array.from({ length: world.count }, (_, thing) =>
    post('/t', '{}', { bind: { [`t${thing}`]: '$.id' } }),
  )
  return [...created, ...world.shown.map((_, at) => get(`/t?page=${at}`))]
}

describe('two sides that only name things otherwise', () => {
  test('agree, whatever they show', () => {
    fc.assert(
      fc.property(worlds, world => {
        const found = compare(side(world, world.legacy), side(world, world.candidate), RULES, { steps: stepsOf(world) })
        expect(found.differences).toEqual([])
        expect(found.faults).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('do not when one shows another thing in one place, unless the other side calls it that', () => {
    fc.assert(
      fc.property(worlds, fc.nat(), fc.nat(), (world, where, other) => {
        const answer = where % world.shown.length
        const things = world.shown[answer] ?? []
        const at = where % things.length
        const right = things[at] ?? 0
        const wrong = other % world.count
        // the id of the legacy for this very thing is equal by value: only `same` would tell it apart
        fc.pre(wrong !== right && world.candidate + wrong !== world.legacy + right)
        const candidate = side(world, world.candidate)
        const step = world.count + answer
        const id = world.isNumber ? world.candidate + wrong : `t${world.candidate + wrong}`
        const changed = things.map((thing, place) => ({
          id: place === at ? id : world.isNumber ? world.candidate + thing : `t${world.candidate + thing}`,
          name: `n${thing}`,
          at: thing,
        }))
        const actual = candidate.with(step, answered(JSON.stringify(changed)))
        const found = compare(side(world, world.legacy), actual, RULES, { steps: stepsOf(world) })
        expect(found.differences.map(({ path }) => path)).toEqual([`steps[${step}]:$[${at}].id`])
      }),
      { numRuns: 300 },
    )
  })

  test('agree when the lists are in another order, where a rule says that it does not count', () => {
    const unordered = rulesOf('order_insensitive: [$]')
    fc.assert(
      fc.property(worlds, world => {
        const turned = { ...world, shown: world.shown.map(things => things.toReversed()) }
        const steps = stepsOf(world)
        expect(
          compare(side(world, world.legacy), side(turned, world.candidate), unordered, { steps }).differences,
        ).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('agree just as much when they are swapped', () => {
    fc.assert(
      fc.property(worlds, fc.nat(9), (world, drift) => {
        const [x, y] = [
          side(world, world.legacy),
          side({ ...world, shown: world.shown.map(each => each.slice(drift % 2)) }, world.candidate),
        ]
        const steps = stepsOf(world)
        const there = compare(x, y, RULES, { steps }).differences
        const back = compare(y, x, RULES, { steps }).differences
        expect(back.length).toBe(there.length)
      }),
      { numRuns: 200 },
    )
  })
})
