import { describeParity, fn } from 'vitest-parity'
import { price } from './candidate/pricing.ts'

describeParity('pricing', { candidate: fn(price) })
