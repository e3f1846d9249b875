import { describeParity, expectParity, http, test } from 'vitest-parity'
import { startForex } from './candidate/server.ts'

describeParity(
  'forex',
  { candidate: http(({ clock, signal }) => startForex({ now: clock, port: 0, signal })) },
  ({ candidate }) => {
    test('unknown currency, by hand', async () => {
      await expectParity(candidate).toMatchFixture('010-error-unknown-currency')
    })
  },
)
