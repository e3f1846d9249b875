import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ParityError } from '../errors.ts'
import type { ContainerLab } from './container/spec.ts'
import { loadLab } from './lab-file.ts'

const YAML = `id: shop
claim: the list and its totals
needs: L3
revision: shop-1
driver: container
isolation: internal
clock: "2026-01-02T03:04:05Z"
tz: UTC
locale: C.UTF-8
drive: app
instances: 2
services:
  app:
    image: { tag: docker.io/library/php:7.4, digest: null }
    build: { debian: { suite: bullseye, packages: [php7.4-cli] } }
    files: { /app: app }
    env: { MODE: shop }
    secrets: { DB_PASSWORD: generated, MAIL_TOKEN: environment }
    command: [php, -S, "0.0.0.0:8080"]
    user: "1000:1000"
    workdir: /app
    tmpfs: { /tmp: 16 }
    limits: { memoryMb: 256, cpus: 0.5, pids: 64 }
    port: 8080
    ready: { http: GET /health, body: ok }
    dependsOn: [db]
    reset: { exec: [php, /app/reset.php] }
  db:
    image: { tag: "localhost:5000/library/mariadb:10.5", digest: null }
    build: { dockerfile: db/Dockerfile }
    ready: { sql: SELECT 1, client: [mariadb, -e], timeoutMs: 60000 }
    seed: [[sh, /opt/seed.sh]]
    reset: { template: { database: shop, from: shop_seed, engine: mariadb, client: [mariadb, -e] } }
boundaries:
  - { name: database, mode: ephemeral-real, service: db, version: MariaDB 10.5, reason: as in production, gaps: [one node] }
  - { name: mail, mode: unavailable, reason: nothing of the claim sends mail }
determinism: { clock: read in one place }
constraints: [one writer]
caps: { connections: 8, steps: 4 }
gaps: [no mail]
`
const FILES = { 'app/index.php': '<?php', 'db/Dockerfile': 'FROM scratch' }

async function labWith(yaml: string, files: Readonly<Record<string, string>> = FILES): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'container-file-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  for (const [path, text] of Object.entries({ 'lab.yaml': yaml, ...files })) {
    await mkdir(join(dir, path, '..'), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  return dir
}

async function read(yaml: string, files?: Readonly<Record<string, string>>): Promise<ContainerLab> {
  const lab = await loadLab(await labWith(yaml, files))
  if (lab.driver !== 'container') throw new Error('not a lab of containers')
  return lab
}

async function errorOf(dir: string): Promise<ParityError> {
  const outcome = await loadLab(dir).catch((error: unknown) => error)
  if (outcome instanceof ParityError) return outcome
  throw new Error(`expected a ParityError, received ${JSON.stringify(outcome)}`)
}

/** The file with one place of it written otherwise. */
function changed(from: string, to: string): string {
  if (YAML.split(from).length !== 2) throw new Error(`${from} does not stand there once`)
  return YAML.replace(from, () => to)
}

describe('lab.yaml of a container lab', () => {
  test('is read whole, its services in boot order', async () => {
    const lab = await read(YAML)
    expect(lab).toMatchObject({ id: 'shop', drive: 'app', instances: 2, pins: null, lock: null, tz: 'UTC' })
    const [db, app] = lab.services
    expect([db?.name, app?.name]).toEqual(['db', 'app'])
    expect(app).toMatchObject({
      image: {
        tag: 'docker.io/library/php:7.4',
        digest: null,
        recipe: { kind: 'debian', suite: 'bullseye', variant: 'minbase', packages: ['php7.4-cli'], extra: [] },
      },
      overlay: { files: { '/app': 'app' }, npm: {} },
      secrets: [
        { name: 'DB_PASSWORD', from: 'generated' },
        { name: 'MAIL_TOKEN', from: 'environment' },
      ],
      ready: { kind: 'http', method: 'GET', path: '/health', status: 200, body: 'ok', timeoutMs: 30_000 },
      reset: { kind: 'exec', command: ['php', '/app/reset.php'] },
    })
    expect(lab.file.boundaries).toEqual([
      {
        name: 'database',
        mode: 'ephemeral-real',
        service: 'db',
        version: 'MariaDB 10.5',
        reason: 'as in production',
        gaps: ['one node'],
      },
      {
        name: 'mail',
        mode: 'unavailable',
        service: null,
        version: null,
        reason: 'nothing of the claim sends mail',
        gaps: [],
      },
    ])
  })

  test('has a default for what it leaves out: nobody, no port, restart', async () => {
    const [db] = (await read(YAML)).services
    expect(db).toMatchObject({
      user: '65534:65534',
      port: null,
      command: null,
      workdir: null,
      tmpfs: {},
      limits: { memoryMb: 512, cpus: 1, pids: 128 },
      dependsOn: [],
    })
    const plain = changed('\n    reset: { exec: [php, /app/reset.php] }', '').replace('drive: app\n', '')
    const lab = await read(plain)
    expect(lab.drive).toBe('app')
    expect(lab.services[1]?.reset).toEqual({ kind: 'restart' })
  })

  test('may name a file that holds a secret', async () => {
    const lab = await read(changed('MODE: shop', 'DB_PASSWORD_FILE: /run/password'))
    expect(lab.services[1]?.env).toEqual({ DB_PASSWORD_FILE: '/run/password' })
  })
})

describe('each field of it wrong in turn', () => {
  test.each<[string, string, string, RegExp]>([
    ['an unknown key', 'claim:', 'claimm:', /:2:1: unknown key "claimm"; did you mean "claim"\?\nFix: write claim/],
    ['an unknown key of a service', 'tmpfs:', 'tempfs:', /:22:5: unknown key "tempfs"; did you mean "tmpfs"/],
    ['a rung that is none', 'needs: L3', 'needs: L6', /:3:8: "needs": expected L0, L1, L2, L3, L4 or L5/],
    ['another driver', 'driver: container', 'driver: docker', /:5:9: "driver": expected process or container/],
    ['no isolation', 'isolation: internal', 'isolation: none', /:6:12: "isolation": expected internal/],
    ['a clock of a zone', '03:04:05Z', '03:04:05+01:00', /:7:8: "clock": an instant in UTC/],
    [
      'a service to drive that is none',
      'drive: app',
      'drive: ap',
      /:10:8: there is no service ap\nFix: write one of app/,
    ],
    ['a service to drive that does not listen', 'drive: app', 'drive: db', /:10:8: the service db has no port/],
    ['no instance', 'instances: 2', 'instances: 0', /:11:12: "instances"/],
    ['an image without tag', 'php:7.4,', 'php,', /:14:19: "tag": expected an image with its registry and a tag/],
    [
      'the latest image',
      'php:7.4,',
      'php:latest,',
      /:14:19: "tag": expected .* a tag other than latest\nFix: write it as/,
    ],
    [
      'an image of no registry',
      'docker.io/library/php:7.4',
      'php:7.4',
      /:14:19: "tag": expected an image with its reg/,
    ],
    [
      'a digest of another kind',
      'php:7.4, digest: null',
      'php:7.4, digest: md5:00',
      /:14:\d+: "digest": expected sha256:/,
    ],
    ['no digest', 'php:7.4, digest: null', 'php:7.4', /:14:\d+: "digest": .*\n/],
    ['a recipe of nothing', '{ debian: { suite: bullseye, packages: [php7.4-cli] } }', '{}', /:15:\d+: /],
    ['no packages', '[php7.4-cli]', '[]', /:15:\d+: "packages": empty/],
    [
      'a variant that is none',
      'suite: bullseye,',
      'suite: bullseye, variant: tiny,',
      /"variant": expected minbase or ext/,
    ],
    [
      'a misspelt key of a recipe',
      'suite: bullseye',
      'suit: bullseye',
      /:15:\d+: unknown key "suit"; did you mean "suite"/,
    ],
    [
      'a file that is not there',
      '/app: app',
      '/app: ap',
      /:16:20: there is no ap in .*\nFix: name a file or folder beside/,
    ],
    ['a file from elsewhere', '/app: app', '/app: ../app', /:16:20: \.\.\/app leaves the folder of the lab/],
    ['an absolute file', '/app: app', '/app: /etc/passwd', /:16:20: \/etc\/passwd leaves the folder/],
    ['a place that is relative', '/app: app', 'app: app', /:16:\d+: .*a path from the root of the container/],
    ['a place that climbs', '/app: app', '/a/../b: app', /:16:\d+: .*without \. and \.\./],
    ['a variable that is no name', 'MODE: shop', 'MO-DE: shop', /:17:\d+: .*the name of a variable/],
    [
      'a secret with its value',
      'MODE: shop',
      'API_TOKEN: abc',
      /:17:\d+: .*the name of a secret, with.*\nFix: .*secrets: API_TOKEN/,
    ],
    ['a key with its value', 'MODE: shop', 'SIGN_KEY: abc', /:17:\d+: .*the name of a secret/],
    ['a variable twice', 'MAIL_TOKEN: env', 'MODE: env', /:18:\d+: .*it stands in env as well/],
    [
      'a secret from elsewhere',
      'DB_PASSWORD: generated',
      'DB_PASSWORD: hunter2',
      /"DB_PASSWORD": expected generated or env/,
    ],
    ['a secret of a doubled prefix', 'DB_PASSWORD: gen', 'LEGACY_DB: gen', /:18:\d+: .*LEGACY_<name>.*\nFix: write DB/],
    ['an empty command', '[php, -S, "0.0.0.0:8080"]', '[]', /:19:\d+: "command": empty/],
    ['root', '"1000:1000"', '"0:0"', /:20:11: "user": expected uid:gid, neither of them 0/],
    ['the group of root', '"1000:1000"', '"1000:0"', /:20:11: "user": expected uid:gid/],
    ['a user by name', '"1000:1000"', 'www-data', /:20:11: "user": expected uid:gid/],
    [
      'a folder to work in that is relative',
      'workdir: /app',
      'workdir: app',
      /:21:14: "workdir": expected a path from/,
    ],
    ['a tmpfs that is relative', '/tmp: 16', 'tmp: 16', /:22:14: .*a path from the root/],
    ['a tmpfs over everything', '/tmp: 16', '/: 16', /:22:14: .*a path from the root/],
    ['a tmpfs of nothing', '/tmp: 16', '/tmp: 0', /:22:20: "\/tmp"/],
    ['no memory', 'memoryMb: 256', 'memoryMb: 4', /:23:\d+: "memoryMb"/],
    ['no processor', 'cpus: 0.5', 'cpus: 0', /:23:\d+: "cpus"/],
    ['endless processes', 'pids: 64', 'pids: 1000000', /:23:\d+: "pids"/],
    ['a port that is none', 'port: 8080', 'port: 65536', /:24:11: "port"/],
    [
      'a probe without a port',
      '    port: 8080\n',
      '',
      /:24:12: "ready": http, but no port that it listens on\nFix: add port/,
    ],
    [
      'a probe of nothing',
      '{ http: GET /health, body: ok }',
      '{ timeoutMs: 1 }',
      /:25:12: .*one of http, exec, sql and stomp/,
    ],
    ['two probes', '{ http: GET /health, body: ok }', '{ http: GET /, stomp: true }', /:25:12: .*expected one of http/],
    [
      'no probe',
      '    ready: { http: GET /health, body: ok }\n',
      '',
      /:13:3: missing: expected a mapping|"ready": missing/,
    ],
    [
      'a status without http',
      '{ http: GET /health, body: ok }',
      '{ stomp: true, status: 200 }',
      /"status": it stands beside no http/,
    ],
    [
      'a statement without client',
      'SELECT 1, client: [mariadb, -e]',
      'SELECT 1',
      /:31:\d+: "sql": sql and client stand together/,
    ],
    ['a budget without end', 'timeoutMs: 60000', 'timeoutMs: 600001', /:31:\d+: "timeoutMs"/],
    [
      'a service that it depends on and is none',
      'dependsOn: [db]',
      'dependsOn: [dbs]',
      /:26:16: there is no service dbs/,
    ],
    ['itself to depend on', 'dependsOn: [db]', 'dependsOn: [app]', /:26:16: app depends on itself/],
    ['a circle', '    seed:', '    dependsOn: [app]\n    seed:', /: a circle: app → db → app\nFix: remove one/],
    ['a reset that is none', '{ exec: [php, /app/reset.php] }', 'reboot', /:27:12: /],
    [
      'a reset by another database',
      'engine: mariadb',
      'engine: oracle',
      /:33:\d+: "engine": expected postgres or mariadb/,
    ],
    [
      'a reset by request where nothing listens',
      '{ template: { database: shop, from: shop_seed, engine: mariadb, client: [mariadb, -e] } }',
      '{ http: POST /reset }',
      /:33:12: a request, but no port that the service listens on/,
    ],
    ['a Dockerfile that is not there', 'db/Dockerfile', 'Dockerfile', /:30:\d+: there is no Dockerfile in/],
    ['an empty seed', '[[sh, /opt/seed.sh]]', '[[]]', /:32:\d+: .*empty/],
    [
      'a boundary of an unknown service',
      'service: db',
      'service: mysql',
      /:35:\d+: there is no service mysql\nFix: write one of app, db/,
    ],
    [
      'a mode that is none',
      'mode: unavailable',
      'mode: mocked',
      /:36:\d+: "mode": expected real, ephemeral-real, emulator, vir/,
    ],
    ['a boundary without reason', ', reason: nothing of the claim sends mail', '', /:36:\d+: .*missing/],
    [
      'something that stands for what is unavailable',
      'mode: unavailable',
      'mode: unavailable, service: db',
      /:36:\d+: unavailable, but the service db stands for it/,
    ],
    ['a boundary twice', 'name: mail', 'name: database', /:36:\d+: there are two boundaries database/],
    ['caps of nothing', 'steps: 4', 'steps: 0', /:39:\d+: "steps"/],
    ['an empty gap', '[no mail]', '[""]', /:40:\d+: .*empty/],
  ])('%s', async (_, from, to, message) => {
    const error = await errorOf(await labWith(changed(from, to)))
    expect(error.code).toBe('PARITY_LAB_INVALID')
    expect(error.message).toMatch(message)
    expect(error.fix).not.toBe('')
  })

  test('two services that listen, and none to drive', async () => {
    const error = await errorOf(
      await labWith(changed('drive: app\n', '').replace('    seed:', '    port: 3306\n    seed:')),
    )
    expect(error.message).toMatch(/:12:3: 2 services have a port: app, db\nFix: say which one is asked: drive/)
  })

  test('no service at all', async () => {
    const [head = ''] = YAML.split('services:')
    const error = await errorOf(await labWith(`${head.replace('drive: app\n', '')}services: {}\n`))
    expect(error.message).toMatch(/:11:11: a lab has one service at least/)
  })

  test('a link out of the folder', async () => {
    const dir = await labWith(changed('/app: app', '/app: out'))
    await symlink('/etc', join(dir, 'out'))
    expect((await errorOf(dir)).message).toMatch(/:16:20: out is a link out of the folder of the lab/)
  })

  test('packages without a lock', async () => {
    const error = await errorOf(await labWith(changed('env: { MODE: shop }', 'npm: { express: 3.21.2 }')))
    expect(error.code).toBe('PARITY_LAB_UNPINNED')
    expect(error.message).toMatch(/package\.json cannot be read/)
  })

  test('a lock that is none', async () => {
    const error = await errorOf(await labWith(YAML, { ...FILES, 'lab.lock.yaml': 'format: 1\nimages: []\n' }))
    expect(error.code).toBe('PARITY_LAB_INVALID')
    expect(error.message).toMatch(/lab\.lock\.yaml:2:9: "images": expected a mapping, received a list/)
  })
})
