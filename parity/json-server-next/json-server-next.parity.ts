import { describeParity, http } from 'vitest-parity'
import { hosted } from '../json-server/candidate/hosted.ts'

const server = hosted(new URL('./candidate/server.ts', import.meta.url))

// The known-bad control: a rewrite that changed on purpose. Every difference is decided; if one went unseen, this fails.
describeParity('json-server-next', {
  candidate: http(context => server.start(context)),
  reset: () => server.reset(),
})
