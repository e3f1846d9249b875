import { describeParity, http } from 'vitest-parity'
import { startForex } from './candidate/server.ts'

describeParity('forex-sinatra', {
  candidate: http(({ clock, signal }) => startForex({ now: clock, port: 0, signal })),
})
