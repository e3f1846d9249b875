import type { LabEvidence } from '../container/spec.ts'
import type { LabReason } from '../lab-failure.ts'
import type { LabDrive } from '../process-driver.ts'

/** Which of the two a live suite holds: the legacy that it compares with, or the control beside it. */
export type LabRole = 'legacy' | 'control'

/** What the holder of a connection asks: first for a lab, then for its first state, as often as it likes. */
export type BrokerRequest =
  | { readonly op: 'acquire'; readonly dir: string; readonly clock: string | null; readonly role: LabRole }
  | { readonly op: 'reset'; readonly clock: string | null }

/** `ready` or `failed` answers a request; the others come when they happen. */
export type BrokerMessage =
  | { readonly event: 'log'; readonly line: string }
  | { readonly event: 'crashed'; readonly text: string }
  | {
      readonly event: 'ready'
      readonly drive: LabDrive
      readonly clock: string | null
      readonly provenance: Readonly<Record<string, unknown>>
      readonly evidence: LabEvidence | null
    }
  | { readonly event: 'failed'; readonly reason: LabReason; readonly message: string; readonly remedy: string }

/** A longer line is no message of ours. */
const LINE_BYTES_MAX = 16 << 20

/** Takes the chunks of a stream and hands on each JSON line, parsed. Throws SyntaxError, and RangeError for a line without an end. */
export function lineReader<T>(onMessage: (message: T) => void): (chunk: string) => void {
  let rest = ''
  return chunk => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_BYTES_MAX) throw new RangeError(`a message of more than ${LINE_BYTES_MAX} characters`)
    for (const line of lines) onMessage(JSON.parse(line) as T)
  }
}
