/** `lab mirror`: the images of a lab, where a machine that reaches no public registry finds them. */
import { ParityError } from '../errors.ts'
import { mirrorLab } from '../pipeline/lab-images.ts'
import { escapeText } from '../report/escape.ts'
import { type Arguments, type Command, EXIT_OK, positional, printJson } from './command.ts'

type To = { readonly registry: string } | { readonly archive: string }

function destination(args: Arguments): To {
  const { to, archive } = args.values
  if (to !== undefined && archive === undefined) {
    if (/^[\w.-]+(:\d+)?(\/[\w./-]+)?$/.test(to)) return { registry: to.replace(/\/+$/, '') }
    throw new ParityError(
      'PARITY_CLI_OPTION',
      `mirror: --to is no registry: ${JSON.stringify(to)}`,
      'write a host and a port, as 127.0.0.1:5000, without https://',
    )
  }
  if (archive !== undefined && to === undefined) return { archive }
  throw new ParityError(
    'PARITY_CLI_OPTION',
    'mirror: one of --to and --archive says where the images go',
    'write --to 127.0.0.1:5000, or --archive lab.tar',
  )
}

/** What the other machine has to be told. */
function useLines(to: To): string[] {
  if ('registry' in to) return [`Use it: PARITY_REGISTRY=${to.registry}`]
  return [`Use it: docker load --input ${to.archive}`]
}

export const mirror: Command = {
  name: 'mirror',
  summary: 'Push the images of a lab to a registry, or save them as an archive',
  positionals: ['<lab>'],
  options: {
    to: { type: 'string', value: '<registry>', summary: 'host and port of a registry, as 127.0.0.1:5000' },
    archive: { type: 'string', value: '<file>', summary: 'a file for docker load' },
  },
  example: 'npx vitest-parity lab mirror catalog-php --archive catalog-php.tar',
  async run(args, terminal) {
    const name = positional(args, 0, 'lab')
    const to = destination(args)
    const { cwd: root, signal } = terminal
    const mirrored = await mirrorLab({ root, name, to, signal, onLog: line => terminal.err(escapeText(line)) })
    if (args.json) printJson(terminal, { ...mirrored, ...to })
    else {
      const lines = mirrored.images.map(({ service, id, reference }) => `${service}  ${reference}  ${id.slice(7, 19)}`)
      terminal.out([...lines, ...useLines(to)].map(escapeText).join('\n'))
    }
    return EXIT_OK
  },
}
