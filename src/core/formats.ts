/** What a string looks like, as `structural` distinguishes strings. */
export type FormatClass = 'empty' | 'date-time' | 'date' | 'time' | 'uuid' | 'e-mail' | 'uri' | 'none'

const ZONE = '(?:Z|[+-]\\d\\d(?::?\\d\\d)?)'
const CLOCK = '\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?'

const CLASSES: readonly (readonly [FormatClass, RegExp])[] = [
  ['empty', /^$/],
  ['date-time', new RegExp(`^\\d{4}-\\d\\d-\\d\\d[T ]${CLOCK} ?${ZONE}?$`, 'i')],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['time', new RegExp(`^${CLOCK} ?(?:[AP]M)?${ZONE}?$`, 'i')],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ['e-mail', /^[^\s@<>()",:;]+@[^\s@<>()",:;.]+(?:\.[^\s@<>()",:;.]+)+$/],
  ['uri', /^[a-z][a-z0-9+.-]*:\/\/\S+$|^(?:urn|mailto|tel|data):\S+$/i],
]

/** The format class of a string: the first that fits, by shape alone. */
export function formatClass(text: string): FormatClass {
  if (text.length > 2048) return 'none'
  return CLASSES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'none'
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?(Z|[+-]\d\d(?::?\d\d)?)$/i

/** Whether two date-times with a zone name one instant, to any fraction of a second. */
export function sameInstant(a: string, b: string): boolean {
  const left = instantOf(a)
  return left !== null && left === instantOf(b)
}

/** Whole seconds since 1970 and the fraction without trailing zeros; null for no date-time with a zone. */
function instantOf(text: string): string | null {
  if (text.length > 64) return null
  const found = INSTANT.exec(text)
  if (found === null) return null
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1, 7).map(Number)
  const zone = (found[8] ?? 'Z').toUpperCase()
  const digits = zone.replace(/\D/g, '').padEnd(4, '0')
  const offset = zone === 'Z' ? 0 : Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  const local = Date.UTC(year, month - 1, day, hours, minutes, Number.isNaN(seconds) ? 0 : seconds) / 1000
  const whole = local - (zone.startsWith('-') ? -offset : offset) * 60
  return `${whole}.${(found[7] ?? '').replace(/0+$/, '')}`
}
