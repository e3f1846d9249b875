/** The commands, in the order of the help: from the first suite to the last look. */
import { accept } from './accept.ts'
import { calibrate } from './calibrate.ts'
import type { Command } from './command.ts'
import { doctor } from './doctor.ts'
import { init } from './init.ts'
import { lab } from './lab.ts'
import { lint } from './lint.ts'
import { record } from './record.ts'
import { show } from './show.ts'

export const COMMANDS: readonly Command[] = [init, record, accept, calibrate, lint, show, lab, doctor]
