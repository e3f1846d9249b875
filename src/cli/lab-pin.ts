/** `lab pin`: lab.lock.yaml says from now on which images a lab boots from. */
import type { Pinning } from '../lab/container/pin.ts'
import { pinLab } from '../pipeline/lab-images.ts'
import { escapeText } from '../report/escape.ts'
import { type Command, EXIT_OK, positional, printJson } from './command.ts'

const MB = 1_000_000

/** One line an image: its service and tag, what it is now, where it came from, and what it was before. */
export function pinLine({ service, pin, before, sizeBytes, steps }: Pinning): string {
  const used = steps.find(({ outcome }) => outcome === 'used')?.rung ?? 'local'
  const how = pin.recipe === null ? (pin.digest ?? 'no digest: nobody served it') : `recipe ${shortHash(pin.recipe)}`
  const moved = before !== null && before.id !== pin.id ? `  (was ${shortHash(before.id)})` : ''
  const size = `${Math.round(sizeBytes / MB)} MB`
  return escapeText(`${service}  ${pin.tag}  ${shortHash(pin.id)}  ${how}  ${size}  ${used}${moved}`)
}

function shortHash(hash: string): string {
  return hash.replace(/^sha256:/, '').slice(0, 12)
}

export const pin: Command = {
  name: 'pin',
  summary: 'Write the images that a lab boots from to lab.lock.yaml: id, digest or recipe, platform',
  positionals: ['<lab>'],
  options: {},
  example: 'npx vitest-parity lab pin catalog-php',
  async run(args, terminal) {
    const name = positional(args, 0, 'lab')
    const { cwd: root, signal } = terminal
    const pinned = await pinLab({ root, name, signal, onLog: line => terminal.err(escapeText(line)) })
    const { lab, changed, pinnings } = pinned
    if (args.json) {
      const images = pinnings.map(({ service, pin, before, steps }) => ({ service, ...pin, before, steps }))
      printJson(terminal, { lab, changed, images })
    } else {
      const end = changed ? 'lab.lock.yaml is written: commit it' : 'lab.lock.yaml says so already'
      terminal.out([...pinnings.map(pinLine), end].join('\n'))
    }
    return EXIT_OK
  },
}
