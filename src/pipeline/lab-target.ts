import type { RunningLab } from '../lab/process-driver.ts'
import { command, http, type Target } from '../replay/target.ts'

/** A running legacy as a target. A reset may change it: it is asked for anew after each. */
export function targetOfLab({ drive }: Pick<RunningLab, 'drive'>): Target {
  switch (drive.kind) {
    case 'http':
      return http(drive.url)
    case 'command':
      return command(drive.argv, { cwd: drive.cwd, env: drive.env })
    default:
      return drive satisfies never
  }
}
