/** What a token of a cookie date may be, in the order in which each token is tried. */
const TIME = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/
const DAY = /^(\d{1,2})(?:\D|$)/
const MONTH = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
const YEAR = /^(\d{2,4})(?:\D|$)/
const DELIMITERS = /[\t -/;-@[-`{-~]+/

/**
 * The year of the expiry date of a cookie as a browser reads it; null when it reads none, and keeps the cookie for the
 * session. Source: RFC 6265 section 5.1.1.
 */
export function yearOfCookieDate(text: string): number | null {
  let time: readonly number[] | null = null
  let day: number | null = null
  let month = false
  let year: number | null = null
  for (const token of text.split(DELIMITERS)) {
    const clock: RegExpExecArray | null = time === null ? TIME.exec(token) : null
    const date: RegExpExecArray | null = day === null ? DAY.exec(token) : null
    const number = year === null ? YEAR.exec(token) : null
    if (clock !== null) time = clock.slice(1).map(Number)
    else if (date !== null) day = Number(date[1])
    else if (!month && MONTH.test(token)) month = true
    else if (number !== null) year = fullYear(Number(number[1]))
  }
  if (time === null || day === null || !month || year === null) return null
  const [hours = 0, minutes = 0, seconds = 0] = time
  const valid = day >= 1 && day <= 31 && year >= 1601 && hours <= 23 && minutes <= 59 && seconds <= 59
  return valid ? year : null
}

function fullYear(year: number): number {
  if (year >= 70 && year <= 99) return year + 1900
  return year <= 69 ? year + 2000 : year
}
