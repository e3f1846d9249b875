/** Objects on the real engine for tests of what is removed when: networks, volumes, and containers that never start. */
import { Readable } from 'node:stream'
import type Dockerode from 'dockerode'
import { pack } from 'tar-stream'

const IMAGE = 'vitest-parity-test-empty:1'

/** An image that holds one empty file, and nothing to run. */
export async function emptyImage(docker: Dockerode): Promise<string> {
  const archive = pack()
  archive.entry({ name: 'empty' }, '')
  archive.finalize()
  const [repo, tag] = IMAGE.split(':')
  const stream: NodeJS.ReadableStream = await docker.importImage(Readable.from(archive), { repo, tag })
  await new Promise((resolve, reject) =>
    docker.modem.followProgress(stream, error => (error ? reject(error) : resolve(null))),
  )
  return IMAGE
}

/** Makes one of each kind under `name`, all with these labels. */
export async function makeObjects(
  docker: Dockerode,
  o: { readonly name: string; readonly labels: Record<string, string>; readonly image: string },
): Promise<void> {
  const network = await docker.createNetwork({ Name: `${o.name}-network`, Internal: true, Labels: o.labels })
  await docker.createVolume({ Name: `${o.name}-volume`, Labels: o.labels })
  await docker.createContainer({
    name: `${o.name}-container`,
    Image: o.image,
    Cmd: ['/none'],
    Labels: o.labels,
    HostConfig: { NetworkMode: network.id },
  })
}
