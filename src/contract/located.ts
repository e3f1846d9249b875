import type { Located } from '../core/yaml.ts'
import { type ErrorCode, ParityError } from '../errors.ts'

const SHOWN_MAX = 10

/** One error for all that is wrong in our own files: a line per place, and every distinct repair. */
export function locatedError(code: ErrorCode, errors: readonly Located[]): ParityError {
  const lines = errors.slice(0, SHOWN_MAX).map(error => `${error.file}:${error.line}:${error.column}: ${error.message}`)
  if (errors.length > SHOWN_MAX) lines.push(`and ${errors.length - SHOWN_MAX} more`)
  const fixes = [...new Set(errors.slice(0, SHOWN_MAX).map(error => error.fix))]
  return new ParityError(code, lines.join('\n'), fixes.join('\n     '))
}
