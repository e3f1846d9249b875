/** A kind of secret, and how its text is known. */
export interface SecretPattern {
  readonly kind: string
  readonly found: (text: string) => boolean
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text)

/** Secrets known by their own form, wherever they stand. */
export const TEXT_PATTERNS: readonly SecretPattern[] = [
  { kind: 'private key', found: matching(/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/) },
  { kind: 'JWT', found: matching(/\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/) },
  { kind: 'bearer token', found: matching(/\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*/i) },
  { kind: 'AWS access key', found: matching(/(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/) },
  { kind: 'GitHub token', found: matching(/\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,})/) },
  { kind: 'Slack token', found: matching(/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/) },
  { kind: 'Google API key', found: matching(/\bAIza[A-Za-z0-9_-]{35}/) },
  { kind: 'Stripe key', found: matching(/\b[rs]k_live_[A-Za-z0-9]{16,}/) },
  { kind: 'npm token', found: matching(/\bnpm_[A-Za-z0-9]{36}/) },
  { kind: 'password in a URL', found: matching(/\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@"']+:[^\s/?#@"']+@/i) },
  { kind: 'card number', found: holdsCardNumber },
]

/** Names of headers that carry credentials, in lower case. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'x-access-token',
  'x-amz-security-token',
]

/** Whether a member, parameter or cookie of this name carries a secret when it has a value. */
export function isSecretName(name: string): boolean {
  return /^(?:access|refresh|id|auth|session|bearer|csrf|xsrf|api)[-_]?(?:token|key|id)$|^(?:client|app|shared)[-_]?secret$|^private[-_]?key$|^(?:.*[-_.])?(?:sess|session|sid|sessid|sessionid|jsessionid|phpsessid)$/i.test(
    name,
  )
}

/** Test numbers that the card schemes publish: no secret. */
const TEST_CARDS = [
  '4242424242424242',
  '4111111111111111',
  '4012888888881881',
  '4000056655665556',
  '5555555555554444',
  '5105105105105100',
  '2223003122003222',
  '378282246310005',
  '371449635398431',
  '6011111111111117',
  '6011000990139424',
  '3530111333300000',
  '30569309025904',
]

/** 13 to 19 digits, in one run or in groups split by single spaces or hyphens, that begin as a card scheme does. */
const CARD = /(?<![\w.-])(?:4|5[1-5]|2[2-7]|3[0-9]|6[0245])\d(?:[ -]?\d){10,17}(?![\w-]|\.\d)/g

function holdsCardNumber(text: string): boolean {
  for (const [run] of text.matchAll(CARD)) {
    const digits = run.replaceAll(/[ -]/g, '')
    if (digits.length >= 13 && digits.length <= 19 && luhn(digits) && !TEST_CARDS.includes(digits)) return true
  }
  return false
}

/** Source: ISO/IEC 7812-1 annex B: from the right, every second digit doubled and its digits summed; the sum ends in 0. */
function luhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
