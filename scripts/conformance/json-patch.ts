import { isDeepStrictEqual } from 'node:util'
import { type Json, textOf } from '../../src/core/json.ts'
import { differencesOf, filesIn, itemsOf, jsonIn, memberOf, respondJson, stringOf } from './observed.ts'
import { judged, type Result, type Suite } from './result.ts'

/** JSON Patch tests: two documents differ if and only if `isDeepStrictEqual` says so, each pair of the corpus included. */
export const jsonPatch: Suite = {
  name: 'json-patch',
  folder: 'conformance/json-patch',
  run(folder) {
    const tests = filesIn(folder).flatMap(file =>
      itemsOf(jsonIn(folder, file)).map((test, at) => ({ test, name: `${file}#${at}` })),
    )
    const documents = new Set(
      tests
        .flatMap(({ test }) => [memberOf(test, 'doc'), memberOf(test, 'expected')])
        .flatMap(each => (each === undefined ? [] : textOf(each))),
    )
    return [
      { name: 'json-patch', results: tests.map(({ test, name }) => before(test, name)) },
      { name: 'json-patch pairs', results: pairs([...documents].sort()) },
    ]
  },
}

function before(test: Json, name: string): Result {
  const [doc, expected] = [memberOf(test, 'doc'), memberOf(test, 'expected')]
  const title = `${name} ${stringOf(memberOf(test, 'comment'))}`.trim()
  if (doc === undefined || expected === undefined) {
    return { case: title, state: 'unasserted', why: 'a patch that must fail: we read no patches' }
  }
  return judged(title, iff(textOf(doc), textOf(expected)))
}

function pairs(documents: readonly string[]): Result[] {
  return documents.flatMap((left, at) => documents.slice(at).map(right => judged(`${left} ${right}`, iff(left, right))))
}

function iff(left: string, right: string): string[] {
  const equal = isDeepStrictEqual(JSON.parse(left), JSON.parse(right))
  return [
    [left, right],
    [right, left],
  ].flatMap(([x = '', y = '']) => {
    const told = differencesOf(respondJson(x), respondJson(y))
    if (told.length > 0 !== equal) return []
    return [equal ? `equal, and told ${told.join(', ')}` : `differ, and nothing is told: ${x} ${y}`]
  })
}
