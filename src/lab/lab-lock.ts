import { readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { compareCodePoints } from '../core/canonical.ts'
import { parseYaml, validate } from '../core/yaml.ts'
import type { PinnedImage, ServiceSpec } from './container/spec.ts'
import { labInvalid } from './lab-invalid.ts'

export const LOCK_FILE = 'lab.lock.yaml'

const Hash = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)], {
  error: 'expected sha256: and 64 hexadecimal digits\nFix: write it anew: npx vitest-parity lab pin',
})

/** `labs/<name>/lab.lock.yaml`: the images that a lab was pinned to, by service. */
export const LabLockSchema = z
  .strictObject({
    $schema: z.string().optional(),
    format: z.literal(1),
    images: z.record(
      z.string().min(1),
      z.strictObject({
        tag: z.string().min(1).describe('As lab.yaml said it'),
        digest: Hash.nullable().describe('Of the manifest that was pulled; null where nobody served it'),
        id: Hash.describe('Image id of the base'),
        recipe: Hash.nullable().describe('Hash of the recipe that it was made by; null where it was pulled'),
        platform: z
          .string()
          .regex(/^[a-z0-9]+\/[a-z0-9]+(\/[a-z0-9]+)?$/, 'expected an operating system and an architecture')
          .describe('linux/amd64'),
      }),
    ),
  })
  .describe('The images that a lab was pinned to. Written by vitest-parity lab pin')

export type Pins = Readonly<Record<string, PinnedImage>>

/**
 * The images that the lab in `dir` was pinned to, by service; null where it was never pinned.
 *
 * **Throws** PARITY_LAB_INVALID with every place that is wrong.
 */
export function readLock(dir: string): Pins | null {
  const path = join(dir, LOCK_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  const checked = validate(parseYaml(text, path), LabLockSchema, path)
  if (!checked.ok) throw labInvalid(checked.errors)
  return checked.value.images
}

/** The text of lab.lock.yaml: services by code point, keys in one order, so that equal pins are equal bytes. */
export function lockText(pins: Pins): string {
  const services = Object.keys(pins).sort(compareCodePoints)
  const lines = services.flatMap(service => {
    const pin = pins[service]
    if (pin === undefined) return []
    const { tag, digest, id, recipe, platform } = pin
    return [
      `  ${JSON.stringify(service)}:`,
      `    tag: ${JSON.stringify(tag)}`,
      `    digest: ${digest ?? 'null'}`,
      `    id: ${id}`,
      `    recipe: ${recipe ?? 'null'}`,
      `    platform: ${platform}`,
    ]
  })
  const head = ['# Written by: npx vitest-parity lab pin. Commit it.', 'format: 1']
  return `${[...head, lines.length === 0 ? 'images: {}' : 'images:', ...lines].join('\n')}\n`
}

/** Writes lab.lock.yaml whole or not at all. Resolves to whether it changed. */
export async function writeLock(dir: string, pins: Pins): Promise<boolean> {
  const path = join(dir, LOCK_FILE)
  const text = lockText(pins)
  if (textOf(path) === text) return false
  const scratch = `${path}.${process.pid}.tmp`
  try {
    await writeFile(scratch, text)
    await rename(scratch, path)
  } finally {
    await rm(scratch, { force: true })
  }
  return true
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Whether the lock still speaks of the image that lab.yaml names. */
export function isPinned(pins: Pins | null, service: { readonly name: string; readonly tag: string }): boolean {
  return pins !== null && Object.hasOwn(pins, service.name) && pins[service.name]?.tag === service.tag
}

/** The pins that still speak of the images that lab.yaml names: one of another tag would bring the image of before. */
export function currentPins(pins: Pins | null, services: readonly Pick<ServiceSpec, 'name' | 'image'>[]): Pins | null {
  if (pins === null) return null
  const current = services.filter(({ name, image }) => isPinned(pins, { name, tag: image.tag })).map(({ name }) => name)
  return Object.fromEntries(Object.entries(pins).filter(([name]) => current.includes(name)))
}
