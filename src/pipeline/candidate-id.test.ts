import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { candidateIdOf } from './candidate-id.ts'

let root = ''
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const write = (name: string, text: string) => writeFileSync(join(root, name), text)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'candidate id '))
  git('init', '--quiet')
  git('config', 'user.name', 'ana')
  git('config', 'user.email', 'ana@example.invalid')
  write('server.ts', 'one\ntwo\nthree\n')
  write('gone.ts', 'gone\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('is the commit alone where nothing differs from it, and says so outside a checkout', async () => {
  expect(await candidateIdOf(root)).toBe(`git:${git('rev-parse', 'HEAD')}`)
  rmSync(join(root, '.git'), { recursive: true })
  expect(await candidateIdOf(root)).toBe('unknown')
})

test('changes with each change of a file, and is the same again when it is taken back', async () => {
  const ids = [await candidateIdOf(root)]
  write('server.ts', 'one\n2\nthree\n')
  ids.push(await candidateIdOf(root))
  write('new ü.ts', 'new\n')
  ids.push(await candidateIdOf(root))
  rmSync(join(root, 'gone.ts'))
  ids.push(await candidateIdOf(root))
  expect(new Set(ids).size).toBe(4)
  write('gone.ts', 'gone\n')
  expect(await candidateIdOf(root)).toBe(ids[2])
})

test('does not depend on how git is set up to draw a diff, nor on the folder that it is asked in', async () => {
  write('server.ts', 'one\n2\nthree\n')
  mkdirSync(join(root, 'below'))
  write('below/file.ts', 'x\n')
  git('add', 'below')
  const before = await candidateIdOf(root)
  for (const [name, value] of [
    ['diff.noprefix', 'true'],
    ['diff.context', '0'],
    ['diff.relative', 'true'],
    ['diff.algorithm', 'histogram'],
  ] as const) {
    git('config', name, value)
  }
  expect(await candidateIdOf(root)).toBe(before)
  expect(await candidateIdOf(join(root, 'below'))).toBe(before)
})

test('is known where a link leads nowhere and where another repository lies within', async () => {
  symlinkSync('nowhere', join(root, 'link'))
  mkdirSync(join(root, 'inner'))
  execFileSync('git', ['init', '--quiet'], { cwd: join(root, 'inner') })
  write('inner/file', 'x\n')
  expect(await candidateIdOf(root)).toMatch(/^git:[0-9a-f]{40}\+[0-9a-f]{12}$/)
})

test('leaves out what a run writes and what it compares against', async () => {
  const before = await candidateIdOf(root)
  for (const folder of ['.parity', '__golden__', 'tolerance']) {
    mkdirSync(join(root, folder))
    write(`${folder}/file.json`, '{}\n')
  }
  expect(await candidateIdOf(root)).toBe(before)
})
