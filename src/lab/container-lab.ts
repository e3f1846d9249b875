import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { Sha256 } from '../model.ts'
import { checkBoundaries, type Invalid } from './boundaries.ts'
import type { ContainerLab, ServiceSpec } from './container/spec.ts'
import type { ContainerLabFile } from './container-file.ts'
import { currentPins, readLock } from './lab-lock.ts'
import { checkPins } from './pins.ts'

/**
 * A container lab from what its lab.yaml says, its services in boot order.
 *
 * **Throws** what `invalid` makes, PARITY_LAB_UNPINNED, and PARITY_LAB_INVALID for lab.lock.yaml.
 */
export async function containerLab(
  file: ContainerLabFile,
  o: { readonly dir: string; readonly hash: Sha256; readonly invalid: Invalid },
): Promise<ContainerLab> {
  const services = Object.entries(file.services).map(([name, service]): ServiceSpec => ({ name, ...service }))
  if (services.length === 0)
    throw o.invalid(['services'], 'a lab has one service at least', 'add the service that is asked')
  for (const service of services) await checkService(service, services, o)
  checkSecrets(services, o.invalid)
  checkBoundaries(file, o.invalid)
  const npm = services.filter(({ overlay }) => Object.keys(overlay.npm).length > 0)
  const [packaged, another] = npm
  if (another !== undefined) {
    const what = 'two services have packages, and there is one package-lock.json'
    throw o.invalid(['services', another.name, 'npm'], what, 'keep the packages of one service')
  }
  const { id, revision, claim, clock, tz, locale, instances } = file
  return {
    driver: 'container',
    dir: o.dir,
    file,
    id,
    revision,
    claim,
    clock,
    tz,
    locale,
    instances,
    services: inBootOrder(services, o.invalid),
    drive: driven(file, services, o.invalid),
    pins: currentPins(readLock(o.dir), services),
    lock: packaged === undefined ? null : await checkPins(o.dir, packaged.overlay.npm),
    hash: o.hash,
  }
}

async function checkService(
  { name, dependsOn, overlay, image, port, reset, tmpfs }: ServiceSpec,
  all: readonly ServiceSpec[],
  { dir, invalid }: { readonly dir: string; readonly invalid: Invalid },
): Promise<void> {
  const at = (...path: string[]): string[] => ['services', name, ...path]
  for (const other of dependsOn) {
    if (other === name) throw invalid(at('dependsOn'), `${name} depends on itself`, 'remove it')
    if (all.some(each => each.name === other)) continue
    throw invalid(
      at('dependsOn'),
      `there is no service ${other}`,
      `write one of ${all.map(each => each.name).join(', ')}`,
    )
  }
  const places = Object.entries(overlay.files).map(([inside, path]) => ({ path, where: at('files', inside) }))
  if (image.recipe?.kind === 'dockerfile')
    places.push({ path: image.recipe.dockerfile, where: at('build', 'dockerfile') })
  for (const { path, where } of places) {
    const misfit = await misfitOfPath(dir, path)
    if (misfit !== null) throw invalid(where, misfit, 'name a file or folder beside lab.yaml')
  }
  for (const inside of Object.keys(overlay.files)) {
    const over = Object.keys(tmpfs).find(path => `${inside}/`.startsWith(`${path}/`))
    if (over === undefined) continue
    throw invalid(at('files', inside), `the tmpfs at ${over} hides it`, 'lay it somewhere else')
  }
  if (reset.kind === 'http' && port === null) {
    throw invalid(at('reset'), 'a request, but no port that the service listens on', 'add port, or reset another way')
  }
}

/** A secret that two services name is one value, so it has one source. */
function checkSecrets(services: readonly ServiceSpec[], invalid: Invalid): void {
  const first = new Map<string, { readonly service: string; readonly from: string }>()
  for (const { name: service, secrets } of services) {
    for (const { name, from } of secrets) {
      const other = first.get(name)
      if (other === undefined) first.set(name, { service, from })
      else if (other.from !== from) {
        const what = `${from} here, and ${other.from} in ${other.service}: it is one value`
        throw invalid(['services', service, 'secrets', name], what, `write ${other.from}, or name them apart`)
      }
    }
  }
}

/** Why a path cannot be taken from the folder of a lab; null when it can. */
async function misfitOfPath(dir: string, path: string): Promise<string | null> {
  const leaves = (to: string, from: string): boolean => relative(from, to).split(sep)[0] === '..'
  const full = resolve(dir, path)
  if (leaves(full, resolve(dir))) return `${path} leaves the folder of the lab`
  const found = await stat(full).catch(() => null)
  if (found === null) return `there is no ${path} in ${dir}`
  if (leaves(await realpath(full), await realpath(dir))) return `${path} is a link out of the folder of the lab`
  return null
}

function driven({ drive }: ContainerLabFile, services: readonly ServiceSpec[], invalid: Invalid): string {
  const listening = services.filter(({ port }) => port !== null).map(({ name }) => name)
  if (drive !== undefined) {
    if (!services.some(({ name }) => name === drive)) {
      throw invalid(['drive'], `there is no service ${drive}`, `write one of ${listening.join(', ')}`)
    }
    if (listening.includes(drive)) return drive
    throw invalid(
      ['drive'],
      `the service ${drive} has no port`,
      `add port to it, or write one of ${listening.join(', ')}`,
    )
  }
  const [only, ...more] = listening
  if (only === undefined) throw invalid(['services'], 'no service has a port: none can be asked', 'add port')
  if (more.length === 0) return only
  const what = `${listening.length} services have a port: ${listening.join(', ')}`
  throw invalid(['services'], what, 'say which one is asked: drive')
}

/** Each service after those that it depends on; else in the order of the file. */
function inBootOrder(services: readonly ServiceSpec[], invalid: Invalid): readonly ServiceSpec[] {
  const ordered: ServiceSpec[] = []
  const visit = (service: ServiceSpec, above: readonly string[]): void => {
    if (ordered.includes(service)) return
    if (above.includes(service.name)) {
      const circle = [...above.slice(above.indexOf(service.name)), service.name].join(' → ')
      throw invalid(['services', service.name, 'dependsOn'], `a circle: ${circle}`, 'remove one of them')
    }
    for (const name of service.dependsOn) {
      const other = services.find(each => each.name === name)
      if (other !== undefined) visit(other, [...above, service.name])
    }
    ordered.push(service)
  }
  for (const service of services) visit(service, [])
  return ordered
}
