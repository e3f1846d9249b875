import { type Fields, parseFields } from '../../forex/candidate/requests.ts'

export interface Received {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** A request as a route sees it. */
export interface Asked {
  readonly method: string
  readonly path: string
  /** Of the query and, in a form, of the body, which wins. */
  readonly params: Fields
  readonly type: string
  readonly charset: string
  readonly body: string
}

const OVERRIDES = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'LINK', 'UNLINK'])
const FORM = 'application/x-www-form-urlencoded'

/** A part of the query whose escapes cannot be read. */
export class BrokenEscape extends Error {}

/**
 * The request, its method overridden where it says so.
 *
 * **Throws** BrokenEscape.
 */
export function ask({ method, target, headers, body }: Received): Asked {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const query = mark === -1 ? '' : target.slice(mark + 1)
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map(part => part.trim())
  const charset = parameters.map(part => /^charset="?([^"]+)"?$/i.exec(part)?.[1]).find(found => found !== undefined)

  const isForm = method === 'POST' && (type === '' || type.toLowerCase() === FORM)
  const form = isForm ? lastOfEach(body) : {}
  const override = String(form._method ?? headers['x-http-method-override'] ?? '').toUpperCase()
  return {
    method: method === 'POST' && OVERRIDES.has(override) ? override : method,
    path,
    params: { ...lastOfEach(query), ...form },
    type: type.toLowerCase(),
    charset: (charset ?? 'utf-8').toLowerCase(),
    body,
  }
}

/** Of a name that occurs more than once the last counts. */
function lastOfEach(text: string): Fields {
  const broken = text.split(/[&=]/).find(part => /%(?![0-9A-Fa-f]{2})/.test(part))
  if (broken !== undefined) throw new BrokenEscape(`Invalid query parameters: invalid %-encoding (${broken})`)
  return Object.fromEntries(Object.entries(parseFields(text)).map(([name, value]) => [name, [value].flat().at(-1)]))
}

/** The fields of a JSON body, none where it is no object; null where it is no JSON. */
export function jsonFields(text: string): Fields | null {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return null
  }
}
