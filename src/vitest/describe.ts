import { openSuite } from '../pipeline/check.ts'
import { makeDescribeParity } from './register.ts'

/** `describeParity` over the files of the project. */
export const describeParity = makeDescribeParity(openSuite)
