import { describeParity, http } from 'vitest-parity'
import { catalog } from './candidate/server.ts'

const service = catalog({ databaseUrl: process.env.CATALOG_DATABASE_URL ?? null })

describeParity('catalog', {
  candidate: http(context => service.start(context)),
  reset: () => service.reset(),
})
