/** One thing that `doctor` looked at. `required` is what a replay needs; the others widen what the machine can do. */
export interface Finding {
  readonly id: string
  readonly state: 'ok' | 'missing'
  readonly required: boolean
  /** What was found. */
  readonly detail: string
  /** What it is good for. */
  readonly serves: string
  /** What to install or change; null when all is well. */
  readonly fix: string | null
}

/** A finding, which is `ok` when it needs no fix. */
export function finding(o: Omit<Finding, 'state' | 'required'> & { readonly required?: boolean }): Finding {
  const { id, detail, serves, fix, required = false } = o
  return { id, state: fix === null ? 'ok' : 'missing', required, detail, serves, fix }
}
