import type { z } from 'zod'

/** What is wrong in one of our own files, where, and how to repair it. Line and column count from 1. */
export interface Located {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fix: string
}

export interface Place {
  readonly line: number
  readonly column: number
}

export type ParsedYaml =
  | {
      readonly ok: true
      readonly value: unknown
      /** Where a key or value stands; when it does not exist, where its nearest parent stands. Default `value`. */
      at(path: readonly (string | number)[], of?: 'key' | 'value'): Place
      /** The text of a scalar as written, without quotes: `1e-7` stays `1e-7`. Empty when the path names no scalar. */
      source(path: readonly (string | number)[]): string
    }
  | { readonly ok: false; readonly errors: readonly Located[] }

export function parseYaml(text: string, file: string): ParsedYaml {
  throw new Error(`not written yet (${file}, ${text.length})`)
}

export function validate<T>(
  parsed: ParsedYaml,
  schema: z.ZodType<T>,
  file: string,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: readonly Located[] } {
  throw new Error(`not written yet (${file}, ${parsed.ok}, ${schema.type})`)
}
