/**
 * `node scripts/labs-left.ts`: prints every container, network and volume that a lab made and that is still there, and
 * exits 1 when there is one; 2 when no engine answers. `--ping` only asks whether an engine answers.
 */
import Docker from 'dockerode'

/** What every object of a lab carries. */
const LABEL = 'vitest-parity.session'
const filters = JSON.stringify({ label: [LABEL] })

async function left(docker: Docker): Promise<string[]> {
  const [containers, networks, { Volumes: volumes = [] }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ])
  return [
    ...containers.map(each => `container ${each.Names.join(' ')} (${each.State})`),
    ...networks.map(each => `network ${each.Name}`),
    ...(volumes ?? []).map(each => `volume ${each.Name}`),
  ]
}

async function main(): Promise<number> {
  const docker = new Docker({ timeout: 20_000 })
  try {
    await docker.ping()
    if (process.argv.includes('--ping')) return 0
    const found = await left(docker)
    for (const each of found) console.error(`left behind: ${each}`)
    if (found.length === 0) console.log('no container, network or volume of a lab is left')
    return found.length === 0 ? 0 : 1
  } catch (error) {
    console.error(`no engine answers: ${error instanceof Error ? error.message : error}`)
    return 2
  }
}

process.exitCode = await main()
