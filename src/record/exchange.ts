import type { FieldList, Reason, Request, Response } from '../model.ts'

/** Why an exchange is not whole. The case that holds it is incomplete, and nothing of it is frozen. */
export interface Flaw {
  readonly reason: Extract<
    Reason,
    'content-missing' | 'corrupt-recording' | 'undecodable' | 'over-limit' | 'stream-open' | 'transport' | 'timeout'
  >
  /** What happened, with the bound or the place; never a value. */
  readonly message: string
}

/** One request and its answer, as a recorder or an importer saw them. Nothing in it is masked. */
export interface Exchange {
  /** Unique within its traffic. */
  readonly id: string
  /** The connection of the client; null when it is not known. */
  readonly connection: string | null
  /** UTC date-time at which the request began; null when it is not known. */
  readonly startedAt: string | null
  /** Host and port as the client named them; null when they are not known. */
  readonly authority: string | null
  readonly request: Request
  /** Null: nobody answered, or the answer is not known. */
  readonly response: Response | null
  /** Fields after the body of the response. Absent: not observed. */
  readonly trailers?: FieldList
  readonly flaw: Flaw | null
  /** Where it comes from: `recording.har: log.entries[3]`, `proxy: exchange 7`. */
  readonly source: string
}

/** Something of a recording that has no place in a case, as a delay or a matcher; or a whole entry that was left out. */
export interface NotCarried {
  /** As the `source` of an exchange. */
  readonly source: string
  /** One of a small set per format, to be counted by: `delay`, `matcher`, `script`, `kind:gRPC`. */
  readonly what: string
  readonly message: string
}

/** What a recorder or importer gives: exchanges in the order in which their requests began. */
export interface Traffic {
  /** With its version and what of its settings matters: `mitmproxy 8.1.1 reverse`, `proxy/1`, `har 1.2`. */
  readonly recorder: string
  readonly exchanges: readonly Exchange[]
  readonly notCarried: readonly NotCarried[]
}
