/**
 * Tries ways out of the network that it runs in, all at once, and prints what each one showed as a line of JSON.
 * With `listen:<port>` in place of a request it stands as something to be reached, until it is stopped.
 */
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

/** One way out. */
export type Way = {
  readonly id: string
} /** A connection, or a datagram that is answered by the same. `scoped`: an address of each link that there is. */ & (
  | { readonly kind: 'tcp' | 'udp'; readonly host: string; readonly port: number; readonly scoped?: true }
  /** A name that the resolver of the container is asked for. */
  | { readonly kind: 'name'; readonly host: string }
  /** A question to a name server; null: to the one that the container has. */
  | { readonly kind: 'dns'; readonly transport: 'tcp' | 'udp'; readonly server: string | null; readonly name: string }
)

export interface EgressRequest {
  readonly ways: readonly Way[]
  readonly budgetMs: number
  /** Is sent with the id of the way, so that what arrives can be told apart. */
  readonly token: string
}

/** What one way showed. `through`: something out there answered, and be it with a refusal. */
export interface WaySeen {
  readonly id: string
  readonly through: boolean
  readonly seen: string
}

type Shown = Omit<WaySeen, 'id'>

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/** Somebody refused: what was sent has arrived. */
function failed(error: unknown): Shown {
  const seen = codeOf(error)
  return { through: seen === 'ECONNREFUSED' || seen === 'ECONNRESET', seen }
}

function tryConnection(host: string, port: number, message: string): Promise<Shown> {
  return new Promise(resolve => {
    const socket = connect({ host, port })
    socket.on('connect', () => {
      socket.end(message)
      resolve({ through: true, seen: 'connected' })
    })
    socket.on('error', error => resolve(failed(error)))
  })
}

/** The socket is not bound to its target: a machine with several addresses may answer from another one. */
function tryDatagram(host: string, port: number, message: string): Promise<Shown> {
  return new Promise(resolve => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    const end = (shown: Shown): void => {
      socket.close()
      resolve(shown)
    }
    socket.on('message', () => end({ through: true, seen: 'answered' }))
    socket.on('error', error => end(failed(error)))
    socket.send(message, port, host, error => {
      if (error !== null) end(failed(error))
    })
  })
}

async function tryName(host: string): Promise<Shown> {
  try {
    const { address } = await lookup(host)
    return { through: true, seen: `resolved to ${address}` }
  } catch (error) {
    return { through: false, seen: codeOf(error) }
  }
}

/** A question for the address of a name (RFC 1035, section 4). */
function question(name: string): Buffer {
  const labels = name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([Buffer.from('4d5201000001000000000000', 'hex'), ...labels, Buffer.from('0000010001', 'hex')])
}

/**
 * What an answer of a name server shows. A far one that answers anything was reached. One on the loopback is the engine's
 * own: that a name is known, or that nobody knows it, it can only have from outside.
 */
function answered(message: Buffer, own: boolean): Shown {
  if (message.length < 8) return { through: !own, seen: 'answered too little' }
  const code = message.readUInt8(3) & 0x0f
  const seen = `answered ${['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'][code] ?? code}`
  return { through: !own || code === 3 || (code === 0 && message.readUInt16BE(6) > 0), seen }
}

function ownNameServer(): string | null {
  return /^nameserver\s+(\S+)/m.exec(readFileSync('/etc/resolv.conf', 'utf8'))?.[1] ?? null
}

function tryNameServer({ transport, server, name }: Way & { readonly kind: 'dns' }): Promise<Shown> {
  const host = server ?? ownNameServer()
  if (host === null) return Promise.resolve({ through: false, seen: 'has none' })
  const own = server === null && host.startsWith('127.')
  // The engine's own refuses where it has nobody to ask.
  const refused = (error: unknown): Shown => (own ? { through: false, seen: codeOf(error) } : failed(error))
  return new Promise(resolve => {
    if (transport === 'udp') {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
      const end = (shown: Shown): void => {
        socket.close()
        resolve(shown)
      }
      socket.on('message', message => end(answered(message, own)))
      socket.on('error', error => end(refused(error)))
      // A callback would be told of the failure to connect too.
      socket.on('connect', () => socket.send(question(name)))
      socket.connect(53, host)
      return
    }
    const asked = question(name)
    const socket = connect({ host, port: 53 })
    socket.on('connect', () => {
      socket.write(Buffer.concat([Buffer.from([asked.length >> 8, asked.length & 0xff]), asked]))
      if (own) return
      socket.end()
      resolve({ through: true, seen: 'connected' })
    })
    socket.on('data', chunk => {
      socket.destroy()
      resolve(answered(chunk.subarray(2), own))
    })
    socket.on('end', () => resolve({ through: false, seen: 'ended without an answer' }))
    socket.on('error', error => resolve(refused(error)))
  })
}

async function tryLinks(way: Way & { readonly kind: 'tcp' | 'udp' }, message: string): Promise<Shown> {
  const one = way.kind === 'tcp' ? tryConnection : tryDatagram
  if (way.scoped !== true) return one(way.host, way.port, message)
  const links = Object.entries(networkInterfaces()).flatMap(([link, all]) =>
    all?.some(each => !each.internal) ? [link] : [],
  )
  if (links.length === 0) return { through: false, seen: 'has no link' }
  const shown = links.map(link => one(`${way.host}%${link}`, way.port, message))
  // The first that gets through decides; else the last to fail says why.
  return Promise.any(shown.map(each => each.then(found => (found.through ? found : Promise.reject(found))))).catch(
    async () => (await Promise.all(shown))[0] ?? { through: false, seen: 'has no link' },
  )
}

function start(way: Way, token: string): Promise<Shown> {
  switch (way.kind) {
    case 'tcp':
    case 'udp':
      return tryLinks(way, `${token} ${way.id}\n`)
    case 'name':
      return tryName(way.host)
    case 'dns':
      return tryNameServer(way)
    default:
      return way satisfies never
  }
}

async function tryWay(way: Way, { token, budgetMs }: EgressRequest): Promise<WaySeen> {
  const late = Promise.withResolvers<Shown>()
  const timer = setTimeout(() => late.resolve({ through: false, seen: `no answer in ${budgetMs} ms` }), budgetMs)
  const shown = await Promise.race([start(way, token).catch(failed), late.promise])
  clearTimeout(timer)
  return { id: way.id, ...shown }
}

/** Answers connections and datagrams, and prints what came with them. */
function listen(port: number): void {
  const udp = createSocket('udp4')
  udp.on('message', (message, { port: from, address }) => {
    process.stdout.write(message)
    udp.send(message, from, address)
  })
  udp.bind(port)
  createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', chunk => process.stdout.write(chunk))
    socket.end('here\n')
  }).listen(port)
}

const word = process.argv.slice(1).find(each => each !== '--') ?? ''
if (word.startsWith('listen:')) {
  process.on('SIGTERM', () => process.exit(0))
  listen(Number(word.slice('listen:'.length)))
} else {
  const request: EgressRequest = JSON.parse(word)
  const seen = await Promise.all(request.ways.map(way => tryWay(way, request)))
  process.stdout.write(seen.map(each => `${JSON.stringify(each)}\n`).join(''), () => process.exit(0))
}
