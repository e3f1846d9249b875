import { Buffer } from 'node:buffer'

/**
 * The octets of a part once its transfer encoding is undone; null when they are not in it, or it is unknown.
 *
 * **Source** RFC 2045 section 6.
 */
export function transferDecoded(octets: Uint8Array, encoding: string): Uint8Array | null {
  switch (encoding) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return octets
    case 'base64':
      return base64Decoded(octets)
    case 'quoted-printable':
      return quotedDecoded(octets)
    default:
      return null
  }
}

function base64Decoded(octets: Uint8Array): Uint8Array | null {
  const text = Buffer.from(octets)
    .toString('latin1')
    .replace(/[ \t\r\n]+/g, '')
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Buffer.from(text, 'base64')
}

function quotedDecoded(octets: Uint8Array): Uint8Array | null {
  const text = Buffer.from(octets)
    .toString('latin1')
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/=\r\n/g, '')
  if (/=(?![0-9A-F]{2})/i.test(text)) return null
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
