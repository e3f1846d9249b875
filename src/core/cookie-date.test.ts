import { expect, test } from 'vitest'
import { yearOfCookieDate } from './cookie-date.ts'

test.each<[string, number | null, string]>([
  ['Wed, 09 Jun 2021 10:18:14 GMT', 2021, 'the form of RFC 9110'],
  ['Wednesday, 09-Jun-21 10:18:14 GMT', 2021, 'two digits from 00 to 69 are of this century'],
  ['Thu, 01-Jan-70 00:00:00 GMT', 1970, 'two digits from 70 to 99 are of the last'],
  ['Jun 9 10:18:14 2021', 2021, 'any order of the parts'],
  ['09"Jun"21"10:18:14', 2021, 'quotes part tokens'],
  ['09 Jun 21 10:18', null, 'no seconds'],
  ['09 Jun 2021', null, 'no time'],
  ['009 Jun 2021 10:18:14', null, 'three digits are no day'],
  ['09 Jun 2021 24:00:00', null, 'an hour beyond 23'],
  ['32 Jun 2021 10:18:14', null, 'a day beyond 31'],
  ['09 Jun 1600 10:18:14', null, 'a year before 1601'],
  ['0', null, 'no date'],
])('the year of the expiry %j is %j: %s', (text, year, _why) => {
  expect(yearOfCookieDate(text)).toBe(year)
})
