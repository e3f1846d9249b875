import type { Request } from '../model.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/**
 * Whether the contract lets `request` be sent: a safe method always (RFC 9110 §9.2.1), any other only when `sends`
 * lists its method and path. The query takes no part; a segment written `{name}` or `*` stands for any one segment.
 * A reference that is not filled yet (`{{id}}`) may come to anything: what it comes to is asked again.
 */
export function allowedToSend(contract: { readonly sends: readonly string[] }, request: Request): boolean {
  return !changesState(request) || contract.sends.some(entry => sendsMatch(entry, request))
}

/** Whether the method of `request` may change state. */
export function changesState(request: Request): boolean {
  return !SAFE_METHODS.includes(request.method)
}

/** Whether one entry of `sends` (`POST /orders/{id}`) names the method and path of `request`. */
export function sendsMatch(entry: string, request: Request): boolean {
  const space = entry.indexOf(' ')
  if (entry.slice(0, space) !== request.method) return false
  const wanted = entry.slice(space + 1).split('/')
  const path = request.path.split('?', 1)[0] ?? ''
  if (path.startsWith('{{')) return true // a link
  const given = path.split('/')
  return wanted.length === given.length && wanted.every((segment, at) => segmentMatches(segment, given[at] ?? ''))
}

function segmentMatches(wanted: string, given: string): boolean {
  return wanted === given || given.includes('{{') || (/^(\*|\{[^}]*\})$/.test(wanted) && given !== '')
}
