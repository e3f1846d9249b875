import { fileURLToPath } from 'node:url'
import { command, describeParity } from 'vitest-parity'

const program = fileURLToPath(new URL('./candidate/stock.ts', import.meta.url))

describeParity('stock', { candidate: command([process.execPath, '--no-warnings', program]), concurrency: 2 })
