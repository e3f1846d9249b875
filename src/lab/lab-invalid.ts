import type { Located } from '../core/yaml.ts'
import { ParityError } from '../errors.ts'

/** PARITY_LAB_INVALID for all that is wrong in the files of a lab: a line per place, and every distinct repair. */
export function labInvalid(errors: readonly Located[]): ParityError {
  const lines = errors.map(error => `${error.file}:${error.line}:${error.column}: ${error.message}`)
  const fixes = [...new Set(errors.map(error => error.fix))]
  return new ParityError('PARITY_LAB_INVALID', lines.join('\n'), fixes.join('; '))
}
