import { z } from 'zod'
import type { ReadySpec, Recipe, ResetSpec, SecretSpec, ServiceSpec } from './container/spec.ts'
import { Call, labHead, Name, Status, Versions } from './lab-head.ts'

/** A tag without a version says nothing, and `latest` is another image tomorrow. */
const Tag = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?(\/[a-z0-9._-]+)+:(?!latest$)[\w][\w.-]{0,127}$/,
    'expected an image with its registry and a tag other than latest\nFix: write it as docker.io/library/mariadb:10.5',
  )
const Digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hexadecimal digits\nFix: write null, and run lab pin')
const Words = z.array(z.string()).min(1)
const Inside = z
  .string()
  .regex(
    /^(?:\/(?!\.{1,2}(?:\/|$))[^/:\0]+)+$/,
    'expected a path from the root of the container, without . and ..\nFix: write it as /app',
  )
const EnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable\nFix: use letters, digits and _, as in APP_MODE')
/** Of a variable; one that names a file holds no secret itself. */
const SECRET_NAME = /PASSWORD|PASSWD|SECRET|TOKEN|CREDENTIAL|(?:^|_)(?:KEY|PASS)(?:_|$)|(?:API|PRIVATE|ACCESS)_?KEY/i
const FILE_NAME = /_FILE$/i

const ReadyFile = z
  .strictObject({
    http: Call.optional().describe('What is asked until it is answered as expected'),
    status: Status.optional().describe('Of http; default 200'),
    body: z.string().min(1).optional().describe('Of http: a text that the body contains'),
    exec: Words.optional().describe('A command in the container that ends with 0'),
    sql: z.string().min(1).optional().describe('A statement that `client` runs without error'),
    client: Words.optional().describe('Of sql: the client program in the container; the statement is its last word'),
    stomp: z.literal(true).optional().describe('CONNECT is answered by CONNECTED'),
    timeoutMs: z.int().min(1).max(600_000).default(30_000).describe('One budget from its start to ready, in ms'),
  })
  .transform((file, context): ReadySpec => {
    const { http, status, body, exec, sql, client, stomp, timeoutMs } = file
    const given = Object.entries({ http, exec, sql, stomp }).filter(([, value]) => value !== undefined)
    if (given.length !== 1) return refuse(context, [], 'expected one of http, exec, sql and stomp', 'keep one of them')
    if (http === undefined && (status !== undefined || body !== undefined)) {
      const beside = status === undefined ? 'body' : 'status'
      return refuse(context, [beside], 'it stands beside no http', `remove ${beside}`)
    }
    if ((sql === undefined) !== (client === undefined)) {
      return refuse(context, ['sql'], 'sql and client stand together', 'write both, as client: [psql, -U, app, -c]')
    }
    if (http !== undefined) {
      const [method = '', path = ''] = http.split(' ')
      return { kind: 'http', method, path, status: status ?? 200, body: body ?? null, timeoutMs }
    }
    if (exec !== undefined) return { kind: 'exec', command: exec, timeoutMs }
    if (sql !== undefined) return { kind: 'sql', statement: sql, client: client ?? [], timeoutMs }
    return { kind: 'stomp', timeoutMs }
  })

const ResetFile = z
  .union([
    z.enum(['restart', 'none']),
    z.strictObject({ http: Call, status: Status.default(204) }),
    z.strictObject({ exec: Words }),
    z.strictObject({
      template: z.strictObject({
        database: z.string().regex(/^\w+$/).describe('Dropped and made anew'),
        from: z.string().regex(/^\w+$/).describe('The database that it is made from'),
        engine: z.enum(['postgres', 'mariadb']),
        client: Words.describe('The client program in the container; the statement is its last word'),
      }),
    }),
  ])
  .default('restart')
  .describe('How the first state comes back')
  .transform((file): ResetSpec => {
    if (typeof file === 'string') return { kind: file }
    if ('exec' in file) return { kind: 'exec', command: file.exec }
    if ('template' in file) return { kind: 'template', ...file.template }
    const [method = '', path = ''] = file.http.split(' ')
    return { kind: 'http', method, path, status: file.status }
  })

const BuildFile = z
  .union([
    z.strictObject({ dockerfile: z.string().min(1).describe('Beside lab.yaml; its folder is the context') }),
    z.strictObject({
      debian: z.strictObject({
        suite: z.string().regex(/^[a-z]+$/, 'the name of a suite, as bullseye'),
        variant: z.enum(['minbase', 'extract']).default('minbase'),
        packages: z.array(z.string().regex(/^[a-z0-9][a-z0-9+.:-]+$/, 'the name of a package')).min(1),
        extra: z
          .array(z.strictObject({ suite: z.string().regex(/^[a-z]+$/), packages: z.array(z.string().min(1)).min(1) }))
          .default([])
          .describe('Packages of other suites, unpacked over it without what they depend on'),
      }),
    }),
  ])
  .transform(
    (file): Recipe => ('dockerfile' in file ? { kind: 'dockerfile', ...file } : { kind: 'debian', ...file.debian }),
  )
  .describe('How the image is made where nobody serves it')

/** One service as written, without its name. */
const ServiceFile = z
  .strictObject({
    image: z
      .strictObject({ tag: Tag, digest: Digest.nullable().describe('null until `lab pin` has seen it') })
      .describe('The public image'),
    build: BuildFile.optional(),
    files: z
      .record(Inside, z.string().min(1))
      .default({})
      .describe('Laid over the image: path in the container → file or folder beside lab.yaml'),
    npm: Versions.describe('Packages from the npm registry, exact, at /app/node_modules'),
    env: z
      .record(EnvName, z.string())
      .default({})
      .describe('Beside PATH of the image, TZ, LANG, LC_ALL and PARITY_CLOCK'),
    secrets: z
      .record(EnvName, z.enum(['generated', 'environment']))
      .default({})
      .describe('Variables whose values stand in no file: made for each boot, or LEGACY_<name> of the environment'),
    command: Words.optional().describe('Default: what the image says'),
    user: z
      .string()
      .regex(/^[1-9]\d*:[1-9]\d*$/, 'expected uid:gid, neither of them 0\nFix: write it as "1000:1000"')
      .default('65534:65534'),
    workdir: Inside.optional(),
    tmpfs: z.record(Inside, z.int().min(1).max(65_536)).default({}).describe('What may be written to, in MB'),
    limits: z
      .strictObject({
        memoryMb: z.int().min(8).max(65_536).default(512),
        cpus: z.number().min(0.05).max(64).default(1),
        pids: z.int().min(4).max(32_768).default(128),
      })
      .default({ memoryMb: 512, cpus: 1, pids: 128 }),
    port: z.int().min(1).max(65_535).optional().describe('What it listens on, inside'),
    ready: ReadyFile,
    dependsOn: z.array(Name).default([]).describe('Ready before it starts'),
    seed: z.array(Words).default([]).describe('Run in it once it is ready, before what depends on it starts'),
    reset: ResetFile,
  })
  .transform((file, context): Omit<ServiceSpec, 'name'> => {
    for (const name of Object.keys(file.env)) {
      if (!SECRET_NAME.test(name) || FILE_NAME.test(name)) continue
      const what = 'the name of a secret, with its value'
      refuse(context, ['env', name], what, `write it under secrets: ${name}: generated`)
    }
    for (const name of Object.keys(file.secrets)) {
      if (Object.hasOwn(file.env, name)) {
        refuse(context, ['secrets', name], 'it stands in env as well', 'keep one of them')
      }
      if (name.startsWith('LEGACY_')) {
        const what = 'its value is looked for in LEGACY_<name> of the environment'
        refuse(context, ['secrets', name], what, `write ${name.slice('LEGACY_'.length)}`)
      }
    }
    const { image, build, files, npm, secrets, command, workdir, port, ...rest } = file
    if (port === undefined && (rest.ready.kind === 'http' || rest.ready.kind === 'stomp')) {
      refuse(context, ['ready'], `${rest.ready.kind}, but no port that it listens on`, 'add port')
    }
    return {
      ...rest,
      image: { ...image, recipe: build ?? null },
      overlay: { files, npm },
      secrets: Object.entries(secrets).map(([name, from]): SecretSpec => ({ name, from })),
      command: command ?? null,
      workdir: workdir ?? null,
      port: port ?? null,
    }
  })

/** `labs/<name>/lab.yaml` of a lab that runs in containers. */
export const ContainerFileSchema = z
  .strictObject({
    ...labHead,
    driver: z.literal('container'),
    isolation: z.literal('internal').describe('No way out: proven at every boot, and stated in every report'),
    drive: Name.optional().describe('The service that is asked; default: the only one with a port'),
    instances: z.int().min(1).max(64).default(1).describe('How many of it may be up at once'),
    services: z.record(Name, ServiceFile),
    caps: z
      .strictObject({ connections: z.int().min(1).optional(), steps: z.int().min(1).optional() })
      .default({})
      .describe('How many connections and steps at once the legacy bears'),
  })
  .describe('The environment contract of a legacy in containers')

export type ContainerLabFile = z.infer<typeof ContainerFileSchema>

function refuse(context: z.RefinementCtx, path: (string | number)[], message: string, fix: string): never {
  context.addIssue({ code: 'custom', path, message: `${message}\nFix: ${fix}` })
  return z.NEVER
}
