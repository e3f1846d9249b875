import { describe, expect, test } from 'vitest'
import type { ParityError } from '../errors.ts'
import { asTarget, command, fn, http, isTarget, refuseUnwrapped } from './target.ts'

function messageOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return `${(error as ParityError).code}: ${(error as Error).message}`
  }
  return 'nothing was thrown'
}

describe('targets', () => {
  test('are made only by http, fn and command', () => {
    expect([http('http://127.0.0.1:1'), fn(() => 1), command(['x'])].every(isTarget)).toBe(true)
    expect([{ kind: 'http' }, null, 'http://x', () => 1].some(isTarget)).toBe(false)
  })

  test('a bare function is refused with the fix', () => {
    expect(messageOf(() => refuseUnwrapped(function convert() {}))).toMatchInlineSnapshot(`
      "PARITY_TARGET_UNWRAPPED: a bare function \`convert\` was given where a target is expected
      Fix: wrap it in fn(), or in http() when it starts a service"
    `)
  })

  test('a bare URL is refused with the fix, without its credentials', () => {
    expect(messageOf(() => refuseUnwrapped('http://ana:secret@127.0.0.1:1/x'))).toMatchInlineSnapshot(`
      "PARITY_TARGET_UNWRAPPED: the bare URL "http://…@127.0.0.1:1/x" was given where a target is expected
      Fix: wrap it in http()"
    `)
    expect(messageOf(() => refuseUnwrapped(new URL('http://127.0.0.1:1/')))).toContain('PARITY_TARGET_UNWRAPPED')
  })

  test('any other value passes, as an observed output', () => {
    expect(refuseUnwrapped('hello')).toBe('hello')
    expect(refuseUnwrapped(null)).toBe(null)
  })

  const refused: readonly [string, () => unknown, string][] = [
    ['another protocol', () => http('localhost:3000'), 'begins with http:// or https://'],
    ['no URL', () => http('forex'), 'begins with http:// or https://'],
    ['credentials', () => http('http://a:b@c/'), 'must not hold credentials'],
    ['a query', () => http('http://127.0.0.1/?a=1'), 'no query and no fragment'],
    ['no function', () => fn('x' as never), 'expected a function, received string'],
    ['no program', () => command([] as never), 'the program first, received an array of 0'],
    ['an unknown option', () => command(['x'], { cwdd: '/' } as never), 'unknown option `cwdd`; did you mean `cwd`?'],
    ['an object as candidate', () => asTarget({}), 'expected a target, received object'],
  ]
  test.each(refused)('%s is refused', (_name, act, text) => {
    expect(messageOf(act)).toMatch(/^PARITY_TARGET_INVALID/)
    expect(messageOf(act)).toContain(text)
  })
})
