import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The keys that a published schema gives names to, at every depth. */
function keysOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const each of schema) keysOf(each, found)
  else if (typeof schema === 'object' && schema !== null) {
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'properties' && typeof value === 'object' && value !== null) {
        for (const name of Object.keys(value)) found.add(name)
      }
      keysOf(value, found)
    }
  }
  return found
}

test.each(['lab', 'lab-lock'])('docs/lab-file.md names every key of schemas/%s.schema.json', name => {
  const docs = read('docs/lab-file.md')
  const keys = [...keysOf(JSON.parse(read(`schemas/${name}.schema.json`)))].filter(key => key !== '$schema')
  expect(keys.length).toBeGreaterThan(4)
  expect(keys.filter(key => !new RegExp(`\\b${key}\\b`).test(docs))).toEqual([])
})
