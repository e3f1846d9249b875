import type { Body, FieldList, InputStep, Request } from '../model.ts'
import { type Bound, withStrings } from './bindings.ts'
import { type Json, parseJson, textOf } from './json.ts'
import { ownPath } from './links.ts'

export type Values = ReadonlyMap<string, Bound>

export type Filled =
  | { readonly ok: true; readonly step: InputStep }
  | { readonly ok: false; readonly name: string | null; readonly message: string }

/** What stops a filling; never leaves this file. */
class Unfit extends Error {
  readonly bound: string | null
  constructor(bound: string | null, message: string) {
    super(message)
    this.bound = bound
  }
}

/**
 * A step with the values that one side bound in place of its references.
 *
 * A JSON string that is a reference and nothing else becomes the value itself, numbers as received; all else takes its text.
 * In a path a value is percent-encoded as one component; at the very beginning it is a link and stands as it is.
 * `origin` is the authority of the side, `*` for any: an absolute link to it is sent as its path, one to another host is
 * refused.
 */
export function fillStep(step: InputStep, values: Values, origin: string | null): Filled {
  if (!hasBraces(step)) return { ok: true, step }
  try {
    return {
      ok: true,
      step: {
        ...step,
        ...(step.input === undefined ? {} : { input: filledJson(step.input, values) }),
        ...(step.request === undefined ? {} : { request: filledRequest(step.request, values, origin) }),
      },
    }
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, name: error.bound, message: error.message }
    throw error
  }
}

const plain = new WeakSet<InputStep>()

/** Whether a step holds anything between double braces; remembered where it does not, for steps driven many times. */
function hasBraces(step: InputStep): boolean {
  if (plain.has(step)) return false
  const { path = '', headers = [], body } = step.request ?? {}
  const braces = (text: string): boolean => text.includes('{{')
  const found =
    braces(path) ||
    headers.some(([, value]) => braces(value)) ||
    (step.input !== undefined && braces(textOf(step.input))) ||
    (body !== undefined && 'json' in body && braces(textOf(body.json))) ||
    (body !== undefined && 'text' in body && braces(body.text)) ||
    (body !== undefined && 'form' in body && body.form.some(([, value]) => braces(value)))
  if (!found) plain.add(step)
  return found
}

/**
 * A text with values in place of its references; `write` gives the text of a value. Throws Unfit for a name without a value.
 */
function filledText(text: string, values: Values, write: (value: Bound, at: number) => string): string {
  return text.replace(/(\\?)\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}/g, (whole, mark: string, name: string, at: number) => {
    if (mark !== '') return whole.slice(1)
    const value = values.get(name)
    if (value === undefined) throw new Unfit(name, `{{${name}}} is bound by no earlier step`)
    return write(value, at)
  })
}

/** The text of a bound value: a string as it is, a number as received. */
export function boundText(value: Bound): string {
  return typeof value === 'string' ? value : textOf(value)
}

/** What a template of `same` comes to on one side; null when a name has no value there. */
export function filledTemplate(template: string, values: Values): Bound | null {
  const whole = /^\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}$/.exec(template)
  if (whole?.[1] !== undefined) return values.get(whole[1]) ?? null
  try {
    return filledText(template, values, boundText)
  } catch (error) {
    if (error instanceof Unfit) return null
    throw error
  }
}

function filledJson(value: Json, values: Values): Json {
  const text = withStrings(value, literal => {
    if (!literal.includes('{{')) return literal
    const content = JSON.parse(literal) as string
    const whole = /^\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}$/.exec(content)
    const bound = whole?.[1] === undefined ? undefined : values.get(whole[1])
    return bound === undefined ? JSON.stringify(filledText(content, values, boundText)) : textOf(bound)
  })
  const parsed = parseJson(text)
  return parsed.ok ? parsed.value : value
}

function filledRequest(request: Request, values: Values, origin: string | null): Request {
  const headers = request.headers.map(([name, value]) => [name, filledHeader(name, value, values)] as const)
  const path = filledPath(request.path, values, origin)
  return {
    ...request,
    path,
    headers,
    ...(request.body === undefined ? {} : { body: filledBody(request.body, values) }),
  }
}

function filledHeader(name: string, value: string, values: Values): string {
  const text = filledText(value, values, boundText)
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  throw new Unfit(null, `the header ${name} cannot hold a bound value: it has line breaks or control characters`)
}

function filledBody(body: Body, values: Values): Body {
  if ('json' in body) return { json: filledJson(body.json, values) }
  if ('text' in body) return { text: filledText(body.text, values, boundText) }
  if ('form' in body) {
    const form: FieldList = body.form.map(([name, value]) => [name, filledText(value, values, boundText)])
    return { form }
  }
  return body
}

function filledPath(path: string, values: Values, origin: string | null): string {
  const filled = filledText(path, values, (value, at) =>
    at === 0 ? linkOf(boundText(value), origin) : encodeURIComponent(boundText(value).toWellFormed()),
  )
  return filled.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

function linkOf(link: string, origin: string | null): string {
  const own = origin === '*' ? (URL.parse(link)?.origin ?? null) : origin
  const below = own !== null && link.startsWith(own) ? `{self}${link.slice(own.length)}` : link
  const path = ownPath(below, '/')
  if (path !== null && /^(?:\{self\}|\/)/.test(below)) return path
  throw new Unfit(null, 'the path begins with a bound value that is no path of this side: nothing is sent elsewhere')
}
