import type { Sabotage } from './sabotage.ts'

const LANE = 'src/replay/lane.ts'
const CLIENT = 'src/replay/http-client.ts'
const CREDENTIALS = 'src/core/credentials.ts'
const PRINCIPALS = 'src/replay/principals.ts'
const HEADERS = 'src/core/headers.ts'
const CONNECTIONS = ['test/http-connections.test.ts']
const CALLERS = ['test/principals.test.ts']

/** What keeps the answers of connections apart, and credentials out of goldens and reports. */
export const HTTP_SIDE: readonly Sabotage[] = [
  {
    name: 'http: what follows an answer in a packet of its own goes unseen',
    file: LANE,
    from: "socket.on('data', () => resolve(true))",
    to: "socket.on('data', () => {})",
    tests: CONNECTIONS,
  },
  {
    name: 'http: what follows chunks goes unseen',
    file: LANE,
    from: 'if (refused()) return Promise.resolve(true)',
    to: '',
    tests: CONNECTIONS,
  },
  {
    name: 'http: undici closes the connection before what follows is seen',
    file: CLIENT,
    from: 'lane.complete()',
    to: '',
    tests: CONNECTIONS,
  },
  {
    name: 'http: a link names the port',
    file: HEADERS,
    from: '/^link$/i.test(name) ? selfLinks(value, own) : value',
    to: 'value',
    tests: ['src/core/self.test.ts'],
  },
  {
    name: 'principals: a refused login is taken for one',
    file: PRINCIPALS,
    from: 'if (status >= 400) return refuse',
    to: 'if (status >= 600) return refuse',
    tests: CALLERS,
  },
  {
    name: 'principals: a short credential is sent',
    file: PRINCIPALS,
    from: 'return secretParts(header, value).every(part => part.length >= CREDENTIAL_CHARACTERS_MIN) ? null : TOO_SHORT',
    to: 'return null',
    tests: CALLERS,
  },
  {
    name: 'principals: what a login gave is not kept out',
    file: PRINCIPALS,
    from: 'call.remember(bound)',
    to: '',
    tests: CALLERS,
  },
  {
    name: 'principals: what a variable holds is not kept out',
    file: PRINCIPALS,
    from: '[...fromEnvironment(o), ...remembered]',
    to: 'remembered',
    tests: CALLERS,
  },
  {
    name: 'principals: a credential under a content coding is kept',
    file: CREDENTIALS,
    from: 'const octets = uncoded.ok ? uncoded.bytes : bytes',
    to: 'const octets = bytes',
    tests: ['src/core/credentials.test.ts'],
  },
  {
    name: 'principals: a credential in base64 is kept',
    file: CREDENTIALS,
    from: '[escaped, ...base64Forms(text).map(quoted)]',
    to: '[escaped]',
    tests: ['src/core/credentials.test.ts'],
  },
]
