import { describeParity, fn } from 'vitest-parity'
import { settle } from './candidate/settlement.ts'

describeParity('settlement', { candidate: fn(settle) })
