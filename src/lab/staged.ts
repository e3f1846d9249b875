import { copyFile, mkdir, mkdtemp, readlink, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Installed } from './install.ts'
import { labFiles, type ProcessLab } from './lab-file.ts'

/** A fresh copy of the lab, so that the legacy can write beside itself, and its home; the supervisor deletes both. */
export async function stage(lab: ProcessLab, installed: Installed | null): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'vitest-parity-lab-'))
  for (const folder of ['lab', 'home', 'tmp']) await mkdir(join(dir, folder))
  for (const path of await labFiles(lab.dir)) {
    const [from, to] = [join(lab.dir, path), join(dir, 'lab', path)]
    await mkdir(dirname(to), { recursive: true })
    const link = await readlink(from).catch(() => null)
    if (link === null) await copyFile(from, to)
    else await symlink(link, to)
  }
  if (installed !== null) await symlink(join(installed.dir, 'node_modules'), join(dir, 'lab', 'node_modules'))
  return dir
}

/** Everything that the legacy sees of this machine; nothing else is handed on. */
export function environment(
  lab: ProcessLab,
  o: {
    /** What `stage` made. */
    readonly dir: string
    readonly clock: string | null
    readonly installed: Installed | null
    /** The variables of lab.yaml, filled in. */
    readonly own: Readonly<Record<string, string>>
  },
): Record<string, string> {
  const bin = o.installed === null ? [] : [join(o.installed.dir, 'node_modules', '.bin')]
  return {
    PATH: [...bin, process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
    HOME: join(o.dir, 'home'),
    TMPDIR: join(o.dir, 'tmp'),
    TZ: lab.file.tz,
    LANG: lab.file.locale,
    LC_ALL: lab.file.locale,
    ...(o.clock === null ? {} : { PARITY_CLOCK: o.clock }),
    ...o.own,
  }
}

/** Versions and hashes of a lab; the same on every machine and every day. */
export function provenanceOf(lab: ProcessLab): Readonly<Record<string, unknown>> {
  const { id, revision, driver, isolation, tz, locale } = lab.file
  return { lab: id, hash: lab.hash, revision, driver, isolation, tz, locale, npm: lab.service.npm, lock: lab.lock }
}
