import type { Engine } from './engine.ts'

/** What a boot has to know of an image. */
export interface ImageFacts {
  /** Places that it declares as volumes. */
  readonly volumes: readonly string[]
  /** Where it has libfaketime; null where it has none. */
  readonly shim: string | null
}

const SHIMS = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/faketime/libfaketime.so.1',
  '/usr/local/lib/faketime/libfaketime.so.1',
]

/** Found once for each image of this process: an image never changes under its id. */
const known = new Map<string, Promise<ImageFacts>>()

export function imageFacts(
  engine: Engine,
  image: string,
  labels: Readonly<Record<string, string>>,
): Promise<ImageFacts> {
  const found = known.get(image) ?? findFacts(engine, image, labels)
  known.set(image, found)
  found.catch(() => known.delete(image))
  return found
}

async function findFacts(engine: Engine, image: string, labels: Readonly<Record<string, string>>): Promise<ImageFacts> {
  const { Config } = await engine.docker.getImage(image).inspect()
  const volumes = Object.keys(Config.Volumes ?? {}).sort()
  // Files of an image are seen through a container only; this one is never started.
  const container = await engine.docker.createContainer({
    Image: image,
    Cmd: ['true'],
    Labels: { ...labels },
    HostConfig: { NetworkMode: 'none' },
  })
  try {
    for (const path of SHIMS) {
      const there = await container.infoArchive({ path }).then(
        () => true,
        (error: unknown) => {
          // only that says that there is none: a lab must not run at another time than it tells
          if (typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode === 404)
            return false
          throw error
        },
      )
      if (there) return { volumes, shim: path }
    }
    return { volumes, shim: null }
  } finally {
    await container.remove({ force: true, v: true }).catch(() => {})
  }
}
