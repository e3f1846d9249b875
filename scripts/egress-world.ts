/**
 * Stands up what a lab must not reach, so that the egress self-test proves every way closed where there is no internet:
 * 203.0.113.1 and the metadata address 169.254.169.254 on an interface of its own, each with something that answers on
 * port 80, and a name server that knows example.com where no other knows a name. Needs root; `down` takes all away.
 *
 * Usage: node scripts/egress-world.ts up | down
 */
import { execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const OUTSIDE = '203.0.113.1'
const METADATA = '169.254.169.254'
const NAME = 'example.com'
const KNOWN = ['deb.debian.org', NAME]
const LINK = 'parity-world'
const RESOLV_CONF = '/etc/resolv.conf'
const STATE = join(tmpdir(), 'vitest-parity-egress-world.json')
const UP_MS = 5000

/** What `up` did, for `down` to undo. */
interface State {
  readonly pid: number
  /** Of RESOLV_CONF before; null where it was left alone. */
  readonly resolvConf: string | null
}

async function up(): Promise<void> {
  if (existsSync(STATE)) await down()
  // Asked before there is anything that could answer.
  const isNameless = !(await Promise.all(KNOWN.map(resolves))).includes(true)
  // Not every kernel has dummy interfaces; a bridge, which the engine needs too, is one when nothing is plugged in.
  ip('link', 'add', LINK, 'type', 'bridge')
  ip('link', 'set', LINK, 'up')
  for (const address of [OUTSIDE, METADATA]) ip('address', 'add', `${address}/32`, 'dev', LINK)
  const self = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [self, 'serve'], { detached: true, stdio: 'ignore' })
  child.unref()
  if (child.pid === undefined) throw new Error('the world did not start')
  const resolvConf = isNameless ? readFileSync(RESOLV_CONF, 'utf8') : null
  writeFileSync(STATE, JSON.stringify({ pid: child.pid, resolvConf } satisfies State))
  for (const address of [OUTSIDE, METADATA]) await untilAnswers(address)
  if (resolvConf !== null) writeFileSync(RESOLV_CONF, `nameserver ${OUTSIDE}\n${resolvConf}`)
  console.log(`${OUTSIDE} and ${METADATA} answer${resolvConf === null ? '' : `, and ${NAME} has an address`}`)
}

async function down(): Promise<void> {
  const state: State | null = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : null
  if (state !== null) {
    if (state.resolvConf !== null) writeFileSync(RESOLV_CONF, state.resolvConf)
    if (isOurs(state.pid)) process.kill(state.pid)
    rmSync(STATE)
  }
  if (existsSync(`/sys/class/net/${LINK}`)) ip('link', 'delete', LINK)
  console.log('the world is gone')
}

/** The number of a process that has ended may be another's by now. */
function isOurs(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('egress-world.ts')
  } catch {
    return false
  }
}

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function resolves(name: string): Promise<boolean> {
  return Promise.race([
    lookup(name).then(
      () => true,
      () => false,
    ),
    sleep(UP_MS, false, { ref: false }),
  ])
}

async function untilAnswers(host: string): Promise<void> {
  for (const deadline = performance.now() + UP_MS; performance.now() < deadline; await sleep(50)) {
    const answers = await new Promise<boolean>(resolve => {
      const socket = connect({ host, port: 80 })
      socket.on('error', () => resolve(false))
      socket.on('connect', () => {
        socket.destroy()
        resolve(true)
      })
    })
    if (answers) return
  }
  throw new Error(`${host}:80 did not answer within ${UP_MS} ms`)
}

function serve(): void {
  for (const address of [OUTSIDE, METADATA]) {
    createServer((_request, response) => response.end('the outside\n')).listen(80, address)
  }
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => socket.send(answerTo(question), port, address))
  socket.bind(53, OUTSIDE)
}

/** Knows one name, and says of every other that it failed, so that the next server is asked (RFC 1035, section 4). */
function answerTo(question: Buffer): Buffer {
  const labels = NAME.split('.').map(label => `${String.fromCharCode(label.length)}${label}`)
  const asked = Buffer.from(`${labels.join('')}\0\0\u0001\0\u0001`, 'latin1')
  const isKnown = question.length >= 12 && question.subarray(12, 12 + asked.length).equals(asked)
  const answer = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...OUTSIDE.split('.').map(Number)])
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(isKnown ? 0x8180 : 0x8182, 2)
  header.writeUInt32BE(isKnown ? 0x00010001 : 0x00010000, 4)
  header.writeUInt32BE(0, 8)
  const body = isKnown ? [asked, answer] : [question.subarray(12)]
  return Buffer.concat([header, ...body])
}

const commands: Readonly<Record<string, () => Promise<void> | void>> = { up, down, serve }
const command = commands[process.argv[2] ?? '']
if (command === undefined) {
  console.error('usage: node scripts/egress-world.ts up | down')
  process.exit(2)
}
await command()
