import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enterZone, surroundingsFault } from './surroundings.ts'

const here = Intl.DateTimeFormat().resolvedOptions().locale
const locale = here === 'en-US' ? 'C.UTF-8' : `${here.replaceAll('-', '_')}.UTF-8`
const found = process.env.TZ
beforeEach(() => enterZone('UTC'))
afterEach(() => {
  if (found === undefined) delete process.env.TZ
  else process.env.TZ = found
})

describe('a process', () => {
  test.each([
    ['in the zone itself', 'UTC'],
    ['in the zone under another name', 'Etc/UTC'],
    ['in the zone under an older name', 'Zulu'],
  ])('is where the legacy is: %s', (_, tz) => {
    expect(surroundingsFault({ tz, locale })).toBeNull()
  })

  test('is elsewhere in a zone that only agrees in winter', () => {
    expect(surroundingsFault({ tz: 'Europe/London', locale })).toBe(
      'the legacy runs in the time zone Europe/London, this process in UTC: set TZ=Europe/London, and run parity in forks',
    )
  })

  test('is there once it entered', () => {
    enterZone('Europe/London')
    expect(surroundingsFault({ tz: 'Europe/London', locale })).toBeNull()
    expect(new Date('2026-07-01T00:00:00Z').getHours()).toBe(1)
  })

  test('is elsewhere in another language, and in another country', () => {
    expect(surroundingsFault({ tz: 'UTC', locale: 'fi_FI.UTF-8' })).toContain(
      'locale fi_FI.UTF-8 (fi-FI), this process in',
    )
    expect(surroundingsFault({ tz: 'UTC', locale: 'en_ZA' })).toContain('(en-ZA)')
  })
})
