import { randomBytes } from 'node:crypto'
import { LabFailure } from '../lab-failure.ts'
import type { ContainerLab, ServiceSpec } from './spec.ts'

const GENERATED_BYTES = 24

/**
 * The value of each secret of the lab: made anew, or that of `LEGACY_<name>`. Services that name the same one see the same value.
 *
 * **Throws** LabFailure (`environment`) that names every variable which is not set.
 */
export function secretsOf(
  lab: Pick<ContainerLab, 'id'> & { readonly services: readonly Pick<ServiceSpec, 'secrets'>[] },
  env: Readonly<NodeJS.ProcessEnv>,
): Map<string, string> {
  const values = new Map<string, string>()
  const missing = new Set<string>()
  for (const { name, from } of lab.services.flatMap(service => service.secrets)) {
    if (values.has(name)) continue
    const given = from === 'environment' ? env[`LEGACY_${name}`] : randomBytes(GENERATED_BYTES).toString('base64url')
    if (given === undefined || given === '') missing.add(`LEGACY_${name}`)
    else values.set(name, given)
  }
  if (missing.size === 0) return values
  const names = [...missing].sort().join(', ')
  const what = `lab ${lab.id} takes secrets from the environment that are not set: ${names}`
  throw new LabFailure('environment', what, `set ${names}; their values are shown nowhere`)
}

/** Puts the name of a secret where its value stands, plain, percent-encoded or in base64. */
export function concealing(secrets: ReadonlyMap<string, string>): (line: string) => string {
  const shown = [...secrets].flatMap(([name, value]) =>
    [value, encodeURIComponent(value), Buffer.from(value).toString('base64')].map(text => ({ text, name })),
  )
  // A value that holds another one goes first.
  shown.sort((a, b) => b.text.length - a.text.length)
  return line => shown.reduce((text, secret) => text.replaceAll(secret.text, `‹${secret.name}›`), line)
}
