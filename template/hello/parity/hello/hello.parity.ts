import { describeParity, http } from 'vitest-parity'
import { startHello } from './candidate/server.ts'

// One test per case under inputs/, each judged against its golden in __golden__/hello/.
describeParity('hello', {
  candidate: http(({ signal }) => startHello({ port: 0, signal })),
})
