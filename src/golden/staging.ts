import { constants } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ParityError } from '../errors.ts'

const STAGING = /^\.staging-(\d+)$/

/** One file to put in place, in this order; the last one makes the set new. */
export interface StagedFile {
  /** Path inside the folder, with `/`. */
  readonly path: string
  readonly content: string | Uint8Array
}

/**
 * Whether files can be put into `dir`, found out before anything is recorded.
 *
 * @throws ParityError PARITY_GOLDEN_WRITE
 */
export async function assertWritable(dir: string): Promise<void> {
  const staging = await openStaging(dir)
  await guard(dir, () => rm(staging, { recursive: true }))
}

/**
 * Puts `files` into `dir` and then removes `removals`. All are written and synced in a folder beside their places first, then
 * renamed one by one in the order given. Killed at any point, each file is whole, and old or new.
 *
 * @throws ParityError PARITY_GOLDEN_WRITE when the folder cannot be written, or another process is writing it
 */
export async function putFiles(
  dir: string,
  files: readonly StagedFile[],
  removals: readonly string[] = [],
): Promise<void> {
  const staging = await openStaging(dir)
  await guard(dir, async () => {
    try {
      for (const [at, file] of files.entries()) await writeSynced(join(staging, String(at)), file.content)
      for (const [at, file] of files.entries()) {
        const target = join(dir, ...file.path.split('/'))
        await mkdir(join(target, '..'), { recursive: true })
        await rename(join(staging, String(at)), target)
      }
      await syncFolder(dir)
      for (const path of removals) await rm(join(dir, ...path.split('/')), { recursive: true, force: true })
    } finally {
      await rm(staging, { recursive: true, force: true })
    }
  })
}

/** A folder that only this process uses; those of dead processes are removed. */
async function openStaging(dir: string): Promise<string> {
  return guard(dir, async () => {
    await mkdir(dir, { recursive: true })
    for (const entry of await readdir(dir)) {
      const owner = STAGING.exec(entry)?.[1]
      if (owner === undefined) continue
      if (isAlive(Number(owner))) {
        throw new ParityError(
          'PARITY_GOLDEN_WRITE',
          `${join(dir, entry)}: process ${owner} is writing these goldens`,
          'wait until it has ended; when it is no recorder, remove the folder',
        )
      }
      await rm(join(dir, entry), { recursive: true })
    }
    await access(dir, constants.W_OK)
    const staging = join(dir, `.staging-${process.pid}`)
    await mkdir(staging)
    return staging
  })
}

/** Whether a process of this number runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await using handle = await open(path, 'wx')
  await handle.writeFile(content)
  await handle.sync()
}

async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(dir, 'r')
  await handle.sync()
}

const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission to write there',
  EPERM: 'there is no permission to write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
}

async function guard<T>(dir: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ParityError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new ParityError(
      'PARITY_GOLDEN_WRITE',
      `${dir}: the goldens cannot be written: ${REFUSALS[code] ?? code}; every golden stands as it was`,
      'run it in a checkout that can be written',
      { cause: error },
    )
  }
}
