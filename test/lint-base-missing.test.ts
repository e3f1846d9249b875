import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBase } from '../src/pipeline/base.ts'
import { gitIn, type LintProject, lintProject } from './lint-project.ts'

const CONTRACT = 'parity/hello/contract.yaml'

let project: LintProject
beforeAll(async () => {
  project = await lintProject({ folder: 'services/greeting' })
})
afterAll(() => project[Symbol.dispose]())
beforeEach(() => project.reset())

describe('a base that cannot be had', () => {
  const fails = async (base: string) => {
    const { code, err } = await project.run('lint', `--base=${base}`)
    expect(code).toBe(2)
    return err
  }

  test('is an unknown ref: the fix fetches it, or names the one that is there', async () => {
    expect(await fails('nope')).toContain('Fix: git fetch origin nope')
    expect(await fails('--upload-pack=x')).toContain('there is no ref')
    expect(await fails('HEAD:parity')).toContain('there is no ref')
    project.git('update-ref', 'refs/remotes/origin/dev', 'main')
    expect(await fails('dev')).toContain('Fix: write --base origin/dev')
  })

  test('is a branch with another beginning', async () => {
    project.git('switch', '--quiet', '--orphan', 'alien')
    project.git('commit', '--quiet', '--allow-empty', '--message=alien')
    project.reset()
    expect(await fails('alien')).toContain('have no commit in common')
  })

  test('is a checkout that is shallow, or none', async () => {
    const top = project.git('rev-parse', '--show-toplevel').trim()
    project.edit(CONTRACT, 'tier: standard', 'tier: heavy')
    project.git('commit', '--quiet', '--all', '--message=more')
    const clone = mkdtempSync(join(tmpdir(), 'parity-shallow-'))
    try {
      gitIn(clone, ['clone', '--quiet', '--depth=1', '--branch=work', pathToFileURL(top).href, '.'])
      const cwd = join(clone, 'services/greeting')
      expect(() => openBase(cwd, 'origin/main')).toThrow(/the checkout is shallow\nFix: git fetch origin main/)
      gitIn(clone, ['fetch', '--quiet', '--depth=1', 'origin', 'main:refs/remotes/origin/main'])
      expect(() => openBase(cwd, 'origin/main')).toThrow(/Fix: git fetch --unshallow origin main/)
      gitIn(clone, ['fetch', '--quiet', '--unshallow', 'origin'])
      openBase(cwd, 'origin/main')[Symbol.dispose]()
    } finally {
      rmSync(clone, { recursive: true, force: true })
    }
    const outside = mkdtempSync(join(tmpdir(), 'parity-outside-'))
    try {
      writeFileSync(join(outside, 'a'), '')
      expect(() => openBase(outside, 'main')).toThrow(/this folder is in no git repository/)
      expect(() => openBase(outside, 'main')).toThrow(expect.objectContaining({ code: 'PARITY_LINT_BASE' }))
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })
})
