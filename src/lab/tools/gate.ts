/**
 * The program of the gate container: `<port>=<host>:<port>` for each port that it listens on. It forwards bytes and
 * nothing else: what it connects to stands on its command line, and no caller has a say in it.
 */
import { connect, createServer, type Socket } from 'node:net'

/** One port of the gate, and where its connections go. */
export interface Forward {
  readonly listen: number
  readonly host: string
  readonly port: number
}

function parse(word: string): Forward {
  const [, listen, host, port] = /^(\d+)=([^:]+):(\d+)$/.exec(word) ?? []
  if (host === undefined) throw new Error(`not a forward: ${word}`)
  return { listen: Number(listen), host, port: Number(port) }
}

/** Each side may end its half first; whoever breaks off breaks off the other. */
function join(one: Socket, other: Socket): void {
  one.on('data', chunk => {
    if (!other.write(chunk)) one.pause()
  })
  other.on('drain', () => one.resume())
  one.on('end', () => other.end())
  one.on('error', () => other.resetAndDestroy())
  one.on('close', failed => {
    if (failed) other.destroy()
  })
}

/** Says what became of the connections to a service, each time that it changes. */
function teller(name: string): (state: string) => void {
  let told = ''
  return state => {
    if (state === told) return
    told = state
    process.stdout.write(`${name} ${state}\n`)
  }
}

const forwards = process.argv.slice(1).map(parse)
let waiting = forwards.length
for (const { listen, host, port } of forwards) {
  const tell = teller(`${host}:${port}`)
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, caller => {
    const service = connect({ host, port, family: 4, allowHalfOpen: true, noDelay: true })
    let connected = false
    service.on('connect', () => {
      connected = true
      tell('connected')
      caller.resume()
    })
    service.on('error', error => {
      if (!connected) tell('code' in error ? String(error.code) : error.message)
    })
    join(caller, service)
    join(service, caller)
  })
  server.listen(listen, () => {
    if (--waiting === 0) process.stdout.write('the gate is open\n')
  })
}
process.on('SIGTERM', () => process.exit(0))
