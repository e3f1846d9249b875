/** Zone and locale of this process, in which functions and services that it starts run. */

export interface Surroundings {
  /** As `tz` of the lab: `Europe/Berlin`. */
  readonly tz: string
  /** As `locale` of the lab: `C.UTF-8`, `de_DE.UTF-8`. */
  readonly locale: string
}

/** Puts this process into the zone of the legacy. Works in a process of its own; a thread has no zone of its own. */
export function enterZone(tz: string): void {
  if (process.env.TZ !== tz) process.env.TZ = tz
}

/** Why a function that runs in this process does not run in the surroundings of the legacy; null where it does. */
export function surroundingsFault({ tz, locale }: Surroundings): string | null {
  const own = Intl.DateTimeFormat().resolvedOptions()
  if (!isZone(own.timeZone, tz)) {
    return `the legacy runs in the time zone ${tz}, this process in ${own.timeZone}: set TZ=${tz}, and run parity in forks`
  }
  const wanted = languageOf(locale)
  if (own.locale.toLowerCase() === wanted.toLowerCase()) return null
  return `the legacy runs in the locale ${locale} (${wanted}), this process in ${own.locale}: set LC_ALL: '${locale}' under test.env`
}

/** Two names may stand for one zone. One that ICU does not know, as `CET-1`, holds when it is the one that was set. */
function isZone(own: string, tz: string): boolean {
  if (own === tz) return true
  try {
    return offsetsOf(own) === offsetsOf(tz)
  } catch {
    return process.env.TZ === tz
  }
}

/** The hours of a zone in winter and summer of many years: equal for two names of one zone. */
function offsetsOf(timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const days: string[] = []
  for (let year = 1970; year <= 2037; year += 1) {
    for (const month of [0, 6]) days.push(format.format(Date.UTC(year, month, 1)))
  }
  return days.join()
}

/** The language that ICU takes from a locale of the system. **Source** ICU, uprv_getDefaultLocaleID. */
function languageOf(locale: string): string {
  const [name = ''] = locale.split(/[.@]/)
  return name === 'C' || name === 'POSIX' || name === '' ? 'en-US' : name.replaceAll('_', '-')
}
