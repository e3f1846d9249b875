import { describeParity, http } from 'vitest-parity'
import { hosted } from './candidate/hosted.ts'

const server = hosted(new URL('./candidate/server.ts', import.meta.url))

describeParity('json-server', {
  candidate: http(context => server.start(context)),
  reset: () => server.reset(),
})
