/** Changes to forex, each with why it matters and what exactly it turns: written by hand, run by `exactness.test.ts`. */
import type { Edit } from './copied-project.ts'

/** Case → what it turns into: the reason, or the paths of its differences. */
type Turned = Readonly<Record<string, string>>
export interface Change {
  readonly why: string
  readonly edits: readonly Edit[]
  readonly turned: Turned
}

const SERVER = 'parity/forex/candidate/server.ts'
const MONEY = 'parity/forex/candidate/money.ts'
const REQUESTS = 'parity/forex/candidate/requests.ts'
const SUITE = 'parity/forex/forex.parity.ts'
const TOLERANCE = 'tolerance/forex.yaml'

const all = (cases: readonly string[], to: string): Turned => Object.fromEntries(cases.map(name => [name, to]))

/** What answers with a list of rates; HEAD and 304 show no body. */
const RATES = [
  '002-happy-rates',
  '003-happy-rates-of-base',
  '006-happy-rates-of-symbols',
  '007-happy-rates-of-date',
  '050-edge-method-override',
  '051-edge-path-case-and-slash',
  '054-edge-no-symbols',
  '058-edge-day-begins',
  '067-rule-last-base',
  '069-rule-unknown-symbol-dropped',
]
const CONVERTED = [
  '001-happy-usd',
  '004-happy-form',
  '005-happy-lower-case',
  '008-happy-same-currency',
  '009-happy-amount-as-text',
  '030-edge-amount-zero',
  '031-edge-amount-at-limit',
  '033-edge-amount-tiny',
  '036-edge-amount-many-digits',
  '037-edge-amount-twice',
  '038-edge-body-at-limit',
  '045-edge-bom',
  '060-rule-half-even-down',
  '061-rule-half-even-up',
  '062-rule-no-minor-unit-down',
  '063-rule-no-minor-unit-up',
  '064-rule-fee-half-even',
  '065-rule-fee-in-source-currency',
  '066-rule-through-the-dollar',
  '068-rule-number-prefix',
]
/** What answers with a code and a message; the hand-written test compares with 010. */
const REFUSED = [
  '010-error-unknown-currency',
  '011-error-unknown-base',
  '012-error-no-amount',
  '013-error-amount-negative',
  '014-error-amount-words',
  '015-error-over-limit',
  '016-error-no-body',
  '017-error-text-body',
  '024-error-malformed-date',
  '025-error-future-date',
  '032-edge-amount-overflow',
  '034-edge-amount-boolean',
  '035-edge-amount-null',
  '039-edge-array-body',
  '040-edge-list-body',
  '041-edge-currency-null',
  '042-edge-currency-object',
  '043-edge-currency-sign',
  '044-edge-currency-emoji',
  '046-edge-form-repeated',
  '053-edge-query-broken-escape',
  '056-edge-empty-form',
  '057-edge-base-empty',
  '059-edge-day-not-begun',
  'unknown currency, by hand',
]
/** Converted at a rate of more than ten decimals, which the candidate rounds. */
const LONG_RATE = [
  '005-happy-lower-case',
  '009-happy-amount-as-text',
  '036-edge-amount-many-digits',
  '065-rule-fee-in-source-currency',
  '066-rule-through-the-dollar',
]
/** USD to EUR: the legacy prints 0.9199999999999999. */
const NOISY_RATE = [
  '001-happy-usd',
  '033-edge-amount-tiny',
  '037-edge-amount-twice',
  '038-edge-body-at-limit',
  '045-edge-bom',
  '064-rule-fee-half-even',
  '068-rule-number-prefix',
]
/** A list of rates where the legacy has none yet, and the other way round. */
const EARLY = 'status $.error $.base $.timestamp $.count $.rates'
const LATE = 'status $.base $.timestamp $.count $.rates $.error'
const REFUSED_AMOUNT = '$.from $.to $.amount $.rate $.fee $.timestamp $.error'

export const CANDIDATE: Readonly<Record<string, readonly Change[]>> = {
  'nine lines that touch one case each': [
    {
      why: 'the code of a date that is to come',
      edits: [{ file: SERVER, from: "'E_DATE', `no rates", to: "'E_FUTURE', `no rates" }],
      turned: all(['025-error-future-date', '059-edge-day-not-begun'], '$.error.code'),
    },
    {
      why: 'Allow is a set, and the text of the body is not; /convert has one method only',
      edits: [
        { file: SERVER, from: "Object.keys(route).join(',')", to: "Object.keys(route).sort().reverse().join(',')" },
      ],
      turned: { '048-edge-options-rates': '$.lines[0]' },
    },
    {
      why: 'the one path with an apostrophe',
      edits: [{ file: SERVER, from: "'&#39;'", to: "'&apos;'" }],
      turned: { '052-edge-path-escaped': '$.lines[0]' },
    },
    {
      why: 'the one conditional request',
      edits: [{ file: SERVER, from: "headers['if-none-match'] === '*'", to: "headers['if-none-match'] === ''" }],
      turned: { '055-edge-if-none-match': 'status header.content-type $' },
    },
    {
      why: 'the one body of exactly 64 KiB',
      edits: [{ file: REQUESTS, from: '64 * 1024', to: '64 * 1024 - 1' }],
      turned: { '038-edge-body-at-limit': 'status header.content-type $' },
    },
    {
      why: 'the one amount at the limit',
      edits: [{ file: SERVER, from: 'given > AMOUNT_MAX', to: 'given >= AMOUNT_MAX' }],
      turned: { '031-edge-amount-at-limit': `status ${REFUSED_AMOUNT}` },
    },
    {
      why: 'the one amount of zero',
      edits: [{ file: SERVER, from: 'given < 0', to: 'given <= 0' }],
      turned: { '030-edge-amount-zero': `status ${REFUSED_AMOUNT}` },
    },
    {
      why: 'BUG-1: the one repeated base',
      edits: [{ file: SERVER, from: '.flat().at(-1)', to: '.flat().at(0)' }],
      turned: { '067-rule-last-base': '$.base $.rates[0].rate' },
    },
    {
      why: 'the fee of a currency into itself',
      edits: [{ file: MONEY, from: 'from === to ? { n: 0n', to: 'from === to ? { n: 1n' }],
      turned: { '008-happy-same-currency': '$.fee' },
    },
  ],
  'half up in place of half even, and instants without milliseconds': [
    {
      why: '42.425, 0.045 and 314.5 as amounts, 502.5 and 0.005 as fees: ties whose lower neighbour is even',
      edits: [
        {
          file: MONEY,
          from: 'twiceRest > d || (twiceRest === d && floor % 2n === 1n)',
          to: 'twiceRest >= d',
        },
      ],
      turned: {
        '008-happy-same-currency': '$.amount',
        '060-rule-half-even-down': '$.amount',
        '062-rule-no-minor-unit-down': '$.amount',
        '065-rule-fee-in-source-currency': '$.fee',
        '068-rule-number-prefix': '$.fee',
      },
    },
    {
      why: 'the same instant, and another text under exact',
      edits: [
        {
          file: SERVER,
          from: 'timestamp: now.toISOString(), count',
          to: "timestamp: now.toISOString().replace('.000', ''), count",
        },
      ],
      turned: all(RATES, '$.timestamp'),
    },
  ],
  'fees as numbers, and a list without its request id': [
    {
      why: 'the same number, and another text under exact where the fee ends in a zero',
      edits: [{ file: SERVER, from: 'JSON.rawJSON(fee)', to: 'Number(fee)' }],
      turned: all(
        [
          '004-happy-form',
          '008-happy-same-currency',
          '009-happy-amount-as-text',
          '030-edge-amount-zero',
          '031-edge-amount-at-limit',
          '033-edge-amount-tiny',
          '037-edge-amount-twice',
          '060-rule-half-even-down',
          '061-rule-half-even-up',
          '066-rule-through-the-dollar',
          '068-rule-number-prefix',
        ],
        '$.fee',
      ),
    },
    {
      why: 'a value under structural may differ, and may not be gone',
      edits: [{ file: SERVER, from: 'rates.length, rates, requestId: requestId() }', to: 'rates.length, rates }' }],
      turned: all(RATES, '$.requestId'),
    },
  ],
  'one instant for every case': [
    {
      why: 'the two cases with an instant of their own are the control of the clock: one after that of the lab, one before',
      edits: [{ file: SUITE, from: 'now: clock', to: "now: '2026-01-02T03:04:05Z'" }],
      turned: { '058-edge-day-begins': LATE, '059-edge-day-not-begun': EARLY },
    },
  ],
  'days by the clock on the wall': [
    {
      why: 'whatever the day is when it runs, it is not that of the recording',
      edits: [{ file: SERVER, from: 'instant > now.getTime()', to: "instant > Date.parse('2026-12-01T09:00:00Z')" }],
      turned: { '025-error-future-date': EARLY, '058-edge-day-begins': LATE, '059-edge-day-not-begun': EARLY },
    },
  ],
  'a header that is not compared': [
    {
      why: 'nosniff is no header of the default list: it is a note, by name',
      edits: [{ file: SERVER, from: ", 'x-content-type-options': 'nosniff'", to: '' }],
      turned: {},
    },
  ],
}

export const RULES: Readonly<Record<string, readonly Change[]>> = {
  'no bound for rates': [
    {
      why: 'a rate is compared by value then',
      edits: [{ file: TOLERANCE, from: '  $.rate: 0.000001\n', to: '' }],
      turned: all([...LONG_RATE, ...NOISY_RATE], '$.rate'),
    },
    {
      why: 'and so is each rate of a list, at its place in the golden; 10.5, 0.75, 14 and 157.25 are exact on both sides',
      edits: [{ file: TOLERANCE, from: '  $.rates[*].rate: 0.000001\n', to: '' }],
      turned: {
        '002-happy-rates': '$.rates[0].rate $.rates[3].rate',
        '003-happy-rates-of-base': '$.rates[0].rate $.rates[1].rate $.rates[2].rate $.rates[3].rate $.rates[4].rate',
        '007-happy-rates-of-date': '$.rates[0].rate $.rates[1].rate $.rates[2].rate $.rates[3].rate $.rates[4].rate',
        '050-edge-method-override': '$.rates[0].rate $.rates[1].rate $.rates[3].rate $.rates[4].rate',
        '051-edge-path-case-and-slash': '$.rates[2].rate $.rates[4].rate',
        '058-edge-day-begins': '$.rates[0].rate',
        '067-rule-last-base': '$.rates[0].rate',
        '069-rule-unknown-symbol-dropped': '$.rates[0].rate',
      },
    },
  ],
  'amounts as exact, and nothing said of $.meta': [
    {
      why: 'an amount of another text: the legacy ends it in a zero, the candidate prints none',
      edits: [
        { file: TOLERANCE, from: '  $.amount: 0\n', to: '' },
        { file: TOLERANCE, from: '  - $.fee\n', to: '  - $.fee\n  - $.amount\n' },
      ],
      turned: all(
        [
          '001-happy-usd',
          '004-happy-form',
          '031-edge-amount-at-limit',
          '033-edge-amount-tiny',
          '037-edge-amount-twice',
          '038-edge-body-at-limit',
          '045-edge-bom',
        ],
        '$.amount',
      ),
    },
    {
      why: 'the control differs from itself there, and no rule covers it',
      edits: [{ file: TOLERANCE, from: 'ignore:\n  - $.meta\n', to: '' }],
      turned: all(RATES, 'control-unstable'),
    },
  ],
  'nothing said of $.requestId': [
    {
      why: 'every JSON answer has one, drawn at random',
      edits: [{ file: TOLERANCE, from: 'structural:\n  - $.requestId\n', to: '' }],
      turned: all([...RATES, ...CONVERTED, ...REFUSED], 'control-unstable'),
    },
  ],
  'a bound below what rounding to ten decimals costs, and rates in order': [
    {
      why: '0.9199999999999999 lies within it, a rate with more than ten decimals does not',
      edits: [{ file: TOLERANCE, from: '  $.rate: 0.000001\n', to: '  $.rate: 0.000000000001\n' }],
      turned: all(LONG_RATE, '$.rate'),
    },
    {
      why: 'lists of five, which the control gave in two orders; the shorter ones came in one order',
      edits: [{ file: TOLERANCE, from: 'order_insensitive:\n  - $.rates\n', to: '' }],
      turned: all(
        [
          '002-happy-rates',
          '003-happy-rates-of-base',
          '007-happy-rates-of-date',
          '050-edge-method-override',
          '051-edge-path-case-and-slash',
        ],
        'control-unstable',
      ),
    },
  ],
  'codes by their form only': [
    {
      why: 'every code is the same on both sides: a looser rule turns nothing',
      edits: [
        { file: TOLERANCE, from: '  - $.error.code\n', to: '' },
        { file: TOLERANCE, from: '  - $.requestId\n', to: '  - $.requestId\n  - $.error.code\n' },
      ],
      turned: {},
    },
  ],
}

export const GOLDENS: Readonly<Record<string, readonly Change[]>> = {
  'one character in each of three goldens': [
    {
      why: 'a letter of a value; the hand-written test compares with the same golden',
      edits: [{ file: '__golden__/forex/010-error-unknown-currency.json', from: '"unknown XXX"', to: '"unknown XXY"' }],
      turned: {
        '010-error-unknown-currency': 'fixture-tampered',
        'unknown currency, by hand': 'fixture-tampered',
      },
    },
    {
      why: 'a zero that changes the text of a number, and not its value',
      edits: [{ file: '__golden__/forex/001-happy-usd.json', from: '"amount": 9.20,', to: '"amount": 9.2,' }],
      turned: { '001-happy-usd': 'fixture-tampered' },
    },
    {
      why: 'a header that is not even compared',
      edits: [{ file: '__golden__/forex/022-error-delete-rates.json', from: '"X-Powered-By"', to: '"X-Powered-Bx"' }],
      turned: { '022-error-delete-rates': 'fixture-tampered' },
    },
  ],
}
