// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of the sources
import type { Sabotage } from './sabotage.ts'

const HARDENING = 'src/lab/container/hardening.ts'
const ASSERTIONS = 'src/lab/container/assertions.ts'
const SECRETS = 'src/lab/container/secrets.ts'
const RESET = 'src/lab/container/reset.ts'
const GATE = 'src/lab/tools/gate.ts'

function without(what: string, file: string, from: string, to: string): Sabotage {
  return { name: `container: ${what}`, file, from, to, tests: [file.replace(/\.ts$/, '.test.ts')] }
}

/** What confines a lab of containers, taken away. */
export const CONTAINERS: readonly Sabotage[] = [
  without('a root that can be written', HARDENING, 'ReadonlyRootfs: true,', ''),
  without('capabilities that stay', HARDENING, "CapDrop: ['ALL'],", ''),
  without('privileges that can be had anew', HARDENING, "SecurityOpt: ['no-new-privileges:true'],", ''),
  without('programs in what can be written', HARDENING, 'rw,noexec,', 'rw,'),
  without(
    'a volume of the image on the disk of the host',
    HARDENING,
    '{ ...declared, ...service.tmpfs }',
    'service.tmpfs',
  ),
  without('a second network that nobody sees', ASSERTIONS, "['networks', 'inner', list(networks)],", ''),
  without('a secret in a log', SECRETS, '[value, encodeURIComponent(value),', '[encodeURIComponent(value),'),
  without('the secret of another namespace', SECRETS, 'env[`LEGACY_${name}`]', 'env[name]'),
  without('a dependent that outlives a restart', RESET, 'service.dependsOn.some(name => names.has(name))', 'false'),
  without(
    'a break that looks like an end',
    GATE,
    "one.on('error', () => other.resetAndDestroy())",
    "one.on('error', () => other.end())",
  ),
]
