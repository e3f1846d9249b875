/** What a container lab is made of: lab.yaml with every default filled in, and what a boot found out. Types only. */
import type { Sha256 } from '../../model.ts'
import type { ContainerLabFile } from '../container-file.ts'

/** How an image is made where nobody serves it. */
export type Recipe =
  /** A Dockerfile, relative to lab.yaml; its folder is the context. */
  | { readonly kind: 'dockerfile'; readonly dockerfile: string }
  /** A root file system of Debian packages. */
  | {
      readonly kind: 'debian'
      readonly suite: string
      /** `minbase` has a shell and apt's essentials; `extract` holds the packages alone, unconfigured. */
      readonly variant: 'minbase' | 'extract'
      readonly packages: readonly string[]
      /** Packages of other suites, unpacked over it without what they depend on. */
      readonly extra: readonly { readonly suite: string; readonly packages: readonly string[] }[]
    }

export interface ImageSpec {
  /** The public image, `docker.io/library/mariadb:10.5`. */
  readonly tag: string
  /** `sha256:…` of its manifest; null until `lab pin` has seen it. */
  readonly digest: string | null
  readonly recipe: Recipe | null
}

/** Laid over the image: what makes it this legacy. */
export interface Overlay {
  /** Path in the container → path beside lab.yaml, a file or a folder. */
  readonly files: Readonly<Record<string, string>>
  /** Packages of package-lock.json beside lab.yaml, installed at `/app/node_modules`. */
  readonly npm: Readonly<Record<string, string>>
}

/** A variable that holds a secret; its value stands in no file. */
export interface SecretSpec {
  /** The variable that the service sees. */
  readonly name: string
  /** `generated` anew for each boot and equal in every service that names it, or taken from `LEGACY_<name>` of the environment. */
  readonly from: 'generated' | 'environment'
}

export type ReadySpec = { readonly timeoutMs: number } & (
  | {
      readonly kind: 'http'
      readonly method: string
      readonly path: string
      readonly status: number
      readonly body: string | null
    }
  /** Exits with 0 in the container. */
  | { readonly kind: 'exec'; readonly command: readonly string[] }
  /** A statement that the client program in the container runs without error. */
  | { readonly kind: 'sql'; readonly statement: string; readonly client: readonly string[] }
  /** CONNECT is answered by CONNECTED. */
  | { readonly kind: 'stomp' }
)

export type ResetSpec =
  | { readonly kind: 'restart' }
  | { readonly kind: 'none' }
  | { readonly kind: 'http'; readonly method: string; readonly path: string; readonly status: number }
  | { readonly kind: 'exec'; readonly command: readonly string[] }
  /** The database is dropped and made anew from another one, by the client program in the container. */
  | {
      readonly kind: 'template'
      readonly database: string
      readonly from: string
      readonly engine: 'postgres' | 'mariadb'
      readonly client: readonly string[]
    }

export interface ServiceSpec {
  readonly name: string
  readonly image: ImageSpec
  readonly overlay: Overlay
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly SecretSpec[]
  /** Null: what the image says. */
  readonly command: readonly string[] | null
  /** `uid:gid`, never 0. */
  readonly user: string
  readonly workdir: string | null
  /** Path → size in MB; writable, nothing in it can be executed. */
  readonly tmpfs: Readonly<Record<string, number>>
  readonly limits: { readonly memoryMb: number; readonly cpus: number; readonly pids: number }
  /** What it listens on inside; null for one that nobody asks. */
  readonly port: number | null
  readonly ready: ReadySpec
  readonly dependsOn: readonly string[]
  /** Run in the container once it is ready, before what depends on it boots. */
  readonly seed: readonly (readonly string[])[]
  readonly reset: ResetSpec
}

export interface Boundary {
  readonly name: string
  readonly mode: 'real' | 'ephemeral-real' | 'emulator' | 'virtual-service' | 'fake' | 'unavailable'
  /** The service that stands for it; null when none does. */
  readonly service: string | null
  readonly version: string | null
  readonly reason: string
  readonly gaps: readonly string[]
}

export const RUNGS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'] as const
export type Rung = (typeof RUNGS)[number]

/** One way to an image, and what became of it. */
export interface LadderStep {
  readonly rung: 'local' | 'registry' | 'upstream' | 'recipe'
  /** What was looked for or pulled. */
  readonly tried: string
  readonly outcome: 'used' | 'skipped' | 'failed'
  /** The words of the engine, or why it was skipped; null when it was used. */
  readonly why: string | null
  readonly remedy: string | null
}

/** An image that is here. */
export interface ResolvedImage {
  readonly service: string
  readonly tag: string
  /** Image id of the base. */
  readonly id: string
  readonly digest: string | null
  /** Image id with the overlay; that of the base where there is none. */
  readonly runId: string
  readonly sizeBytes: number
  readonly steps: readonly LadderStep[]
}

/** What holds for a started container, as the engine says it and as it is seen from inside. */
export interface Assertion {
  readonly service: string
  /** `read-only root`, `no capabilities`, … */
  readonly what: string
  readonly seenBy: 'engine' | 'inside'
  readonly expected: string
  readonly seen: string
  readonly holds: boolean
}

/** One way out that was tried from the network of a service. */
export interface EgressRow {
  readonly service: string
  /** `internet address`, `internet name`, `metadata`, `gateway`, `docker0`, `host address`, `other bridge`, `dns`. */
  readonly probe: string
  /** `203.0.113.1:80` */
  readonly target: string
  /** What the same probe showed from a container that is not isolated. */
  readonly control: string
  /** What it showed from inside. */
  readonly seen: string
  /** `unproven`: the control did not get through either. */
  readonly state: 'closed' | 'open' | 'unproven'
}

/** What a boot of a container lab showed; goes into reports. */
export interface LabEvidence {
  readonly engine: string
  readonly images: readonly ResolvedImage[]
  readonly assertions: readonly Assertion[]
  readonly egress: readonly EgressRow[]
  readonly bootMs: number
  readonly selfTestMs: number
}

/** A container lab as it stands on disk. */
export interface ContainerLab {
  readonly driver: 'container'
  /** Where lab.yaml and the files of the legacy are. */
  readonly dir: string
  readonly file: ContainerLabFile
  readonly id: string
  readonly revision: string
  readonly claim: string
  readonly clock: string | null
  readonly tz: string
  readonly locale: string
  /** In boot order: after what they depend on. */
  readonly services: readonly ServiceSpec[]
  /** The service that is asked. */
  readonly drive: string
  /** How many may be up at once for one run, each with a control beside it in a live one. */
  readonly instances: number
  /** lab.lock.yaml by service; null where there is no such file. */
  readonly pins: Readonly<Record<string, PinnedImage>> | null
  /** SHA-256 of package-lock.json; null when it needs no packages. */
  readonly lock: Sha256 | null
  /** SHA-256 over the path and content of every file in `dir`, hidden ones and node_modules left out. */
  readonly hash: Sha256
}

/** One entry of lab.lock.yaml. */
export interface PinnedImage {
  readonly tag: string
  readonly digest: string | null
  /** Image id of the base. */
  readonly id: string
  /** Hash of the recipe that it was made by; null where it was pulled. */
  readonly recipe: Sha256 | null
  readonly platform: string
}

/** The hash that a warm lab must have to be used again: spec, image ids, host configuration and version of this module. */
export type LabKey = Sha256
