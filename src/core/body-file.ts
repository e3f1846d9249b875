import { Buffer } from 'node:buffer'
import type { Body } from '../model.ts'
import { sha256 } from './canonical.ts'
import type { Reader } from './json-reader.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.([0-9a-f]{16})\.bin$/

/** The name of the file that holds a large or binary body of `name`. */
export function bodyFileName(name: string, bytes: Uint8Array): string {
  return `${name}.${sha256(bytes).slice('sha256:'.length, 'sha256:'.length + 16)}.bin`
}

/**
 * The body that an input or a golden holds: exactly one of json, text, form, base64 and file; null when it does not fit.
 * A file carries the first 16 digits of its SHA-256 in its name, so that the id of what names it covers its octets.
 */
export function bodyOf(reader: Reader, o: { read(name: string): Uint8Array }): Body | null {
  const members = reader.object(['json', 'text', 'form', 'base64', 'file'])
  const form = members.oneOf(['json', 'text', 'form', 'base64', 'file'])
  if (form === null) return null
  const member = members.member(form)
  switch (form) {
    case 'json':
      return { json: member.value ?? null }
    case 'text':
      return { text: member.string() }
    case 'form':
      return { form: member.list().map(field => field.pair()) }
    case 'base64':
      return { bytes: Buffer.from(member.string({ matching: BASE64, what: 'padded base64' }), 'base64') }
    case 'file':
      return fileOf(member, o)
    default:
      return form satisfies never
  }
}

function fileOf(reader: Reader, o: { read(name: string): Uint8Array }): Body | null {
  const given = reader.string()
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(given)) {
    reader.refuse('expected the name of a file beside this one', 'name a file of the same folder')
    return null
  }
  let bytes: Uint8Array
  try {
    bytes = o.read(given)
  } catch {
    reader.refuse(`there is no file ${given}`, `put it back, beside this file`)
    return null
  }
  const right = bodyFileName(given.replace(/(?:\.[0-9a-f]{16})?\.bin$/, ''), bytes)
  if (!FILE_NAME.test(given) || given !== right) {
    reader.refuse(`the octets of ${given} are not those that its name promises`, `restore it, or name it ${right}`)
    return null
  }
  return { bytes }
}
