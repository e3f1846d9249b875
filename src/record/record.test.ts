import { once } from 'node:events'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { wire } from '../../test/wire.ts'
import type { Json } from '../core/json.ts'
import type { Case, Observation, Request } from '../model.ts'
import { openTarget } from '../replay/driver.ts'
import { fn, http } from '../replay/target.ts'
import { type LabSession, type RecordOptions, record } from './record.ts'
import { secretsInCase, secretsInObservation } from './secrets.ts'

function caseOf(name: string, request: Partial<Request> = {}, now: string | null = null): Case {
  const steps = [{ request: { method: 'GET', path: `/${name}`, headers: [], ...request } }]
  return { name, bucket: 'happy', covers: [], steps, now, class: null, id: 'sha256:0' }
}

const textOf = (observation: Observation | undefined): string => {
  const [step] = observation ?? []
  const body = step?.kind === 'response' ? step.response.body : undefined
  return body !== undefined && 'bytes' in body ? Buffer.from(body.bytes).toString() : ''
}

const EMPTY = 'an answer without a body'

/** A lab that counts since its last reset, and says which instant it runs at; `events` tells what was asked of it. */
function labOf(events: string[], answer: (path: string) => string | null = () => '') {
  return async (now: string | null): Promise<LabSession> => {
    let count = 0
    const server = createServer((request, response) => {
      count += 1
      events.push(`${request.method} ${request.url}`)
      const text = answer(request.url ?? '')
      if (text === null) request.socket.destroy()
      else if (text === EMPTY) response.end()
      else response.end(`${count} at ${now}${text}`)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    events.push(`boot ${now}`)
    const context = { clock: now, tz: 'UTC', signal: new AbortController().signal, label: 'the lab' }
    return {
      drive: () => openTarget(http(`http://127.0.0.1:${port}`), context),
      async reset() {
        events.push('reset')
        count = 0
      },
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        server.close()
        events.push('stop')
      },
    }
  }
}

function options(o: Pick<RecordOptions, 'openLab' | 'cases'> & Partial<RecordOptions>): RecordOptions {
  return {
    feature: 'forex',
    contract: { sends: [], reset: 'none' },
    timeoutMs: 2_000,
    signal: new AbortController().signal,
    ...o,
  }
}

describe('recording', () => {
  test('drives all cases, resets, and drives all again', async () => {
    const events: string[] = []
    const progress: string[] = []
    const { captures, incomplete } = await record(
      options({
        openLab: labOf(events),
        cases: [caseOf('a'), caseOf('b')],
        onProgress: (done, total, name) => progress.push(`${done}/${total} ${name}`),
      }),
    )
    expect(events).toEqual(['boot null', 'GET /a', 'GET /b', 'reset', 'GET /a', 'GET /b', 'stop'])
    expect(captures.map(pair => [pair.case.name, textOf(pair.first), textOf(pair.second)])).toEqual([
      ['a', '1 at null', '1 at null'],
      ['b', '2 at null', '2 at null'],
    ])
    expect([incomplete, progress]).toEqual([[], ['1/4 a', '2/4 b', '3/4 a', '4/4 b']])
  })

  test('resets before every case where the contract says so', async () => {
    const events: string[] = []
    const contract = { sends: [], reset: 'case' } as const
    await record(options({ openLab: labOf(events), cases: [caseOf('a'), caseOf('b')], contract }))
    expect(events).toEqual(['boot null', 'GET /a', 'reset', 'GET /b', 'reset', 'GET /a', 'reset', 'GET /b', 'stop'])
  })

  test('boots the lab at every instant that the cases ask for, and keeps the order of the cases', async () => {
    const events: string[] = []
    const now = '2027-01-01T00:00:00Z'
    const { captures } = await record(
      options({ openLab: labOf(events), cases: [caseOf('a', {}, now), caseOf('b'), caseOf('c', {}, now)] }),
    )
    expect(events.filter(event => event.startsWith('boot'))).toEqual([`boot ${now}`, 'boot null'])
    expect(captures.map(pair => textOf(pair.first))).toEqual([`1 at ${now}`, '1 at null', `2 at ${now}`])
  })

  test('D20: sends nothing that the contract does not list', async () => {
    const events: string[] = []
    const cases = [caseOf('a', { method: 'POST', path: '/a?b' }), caseOf('b', { method: 'POST', path: '/b' })]
    const contract = { sends: ['POST /b'], reset: 'none' } as const
    const { captures, incomplete } = await record(options({ openLab: labOf(events), cases, contract }))
    expect(events).not.toContain('POST /a?b')
    expect(captures.map(pair => pair.case.name)).toEqual(['b'])
    expect(incomplete).toEqual([
      {
        name: 'a',
        fault: {
          reason: 'side-effects-not-allowed',
          step: 0,
          message: 'POST /a may change state, and the contract does not list it',
        },
      },
    ])
  })

  test('keeps no case that the legacy answered empty the second time', async () => {
    const asked = new Map<string, number>()
    const answer = (path: string) => {
      asked.set(path, (asked.get(path) ?? 0) + 1)
      return path === '/a' && asked.get(path) === 2 ? EMPTY : ''
    }
    const { captures, incomplete } = await record(
      options({ openLab: labOf([], answer), cases: [caseOf('a'), caseOf('b')] }),
    )
    expect(captures.map(pair => pair.case.name)).toEqual(['b'])
    expect(incomplete).toMatchObject([{ name: 'a', fault: { reason: 'control-degraded' } }])
  })

  test('names a case that the legacy did not answer, and records the others', async () => {
    const answer = (path: string) => (path === '/a' ? null : '')
    const { captures, incomplete } = await record(
      options({ openLab: labOf([], answer), cases: [caseOf('a'), caseOf('b')] }),
    )
    expect(captures.map(pair => pair.case.name)).toEqual(['b'])
    expect(incomplete).toMatchObject([{ name: 'a', fault: { reason: 'transport' } }])
  })

  test('keeps no answer that broke off or does not decode: it would be judged as if the legacy meant it', async () => {
    const answer = async (octets: string) => {
      const { origin } = await wire(socket => socket.end(`HTTP/1.1 200 OK\r\n${octets}`))
      const context = { clock: null, tz: 'UTC', signal: new AbortController().signal, label: 'the lab' }
      const openLab = async (): Promise<LabSession> => ({
        drive: () => openTarget(http(origin), context),
        reset: async () => {},
        [Symbol.asyncDispose]: async () => {},
      })
      const { captures, incomplete } = await record(options({ openLab, cases: [caseOf('a')] }))
      return [captures.length, incomplete[0]?.fault.reason]
    }
    expect(await answer('Content-Length: 9\r\n\r\nshort')).toEqual([0, 'corrupt-recording'])
    expect(await answer('Content-Encoding: gzip\r\n\r\nnot gzip')).toEqual([0, 'corrupt-recording'])
    expect(await answer('Content-Encoding: sdch\r\n\r\nx')).toEqual([0, 'undecodable'])
    expect(await answer('Content-Length: 2\r\n\r\nok')).toEqual([1, undefined])
  })

  test('keeps no output of a function that has no JSON form, and says where', async () => {
    const context = { clock: null, tz: 'UTC', signal: new AbortController().signal }
    const openLab = async (): Promise<LabSession> => ({
      drive: () =>
        openTarget(
          fn(() => ({ rates: new Map() })),
          context,
        ),
      reset: async () => {},
      [Symbol.asyncDispose]: async () => {},
    })
    const input: Case = { ...caseOf('a'), steps: [{ input: 1 }] }
    const { captures, incomplete } = await record(options({ openLab, cases: [input] }))
    expect(captures).toEqual([])
    expect(incomplete).toMatchObject([
      { fault: { reason: 'corrupt-recording', message: expect.stringContaining('$.rates') } },
    ])
  })

  test('returns nothing when an answer looks like a secret, and says where and what, never the value', async () => {
    const secret = ['4929', '0000', '0000', '0000'].join(' ')
    const answer = (path: string) => (path === '/b' ? `\ncard ${secret}` : '')
    const events: string[] = []
    const recording = record(options({ openLab: labOf(events, answer), cases: [caseOf('a'), caseOf('b')] }))
    await expect(recording).rejects.toThrow(
      'nothing of forex was recorded: this looks like a secret\n  b: steps[0].response.body:line 2: card number\nFix: ',
    )
    await expect(recording).rejects.not.toThrow('4929')
    expect(events.at(-1)).toBe('stop')
  })

  test('boots no lab when an input looks like a secret', async () => {
    const events: string[] = []
    const headers = [['Authorization', 'Basic YTpi']] as const
    const recording = record(options({ openLab: labOf(events), cases: [caseOf('a', { headers })] }))
    await expect(recording).rejects.toMatchObject({ code: 'PARITY_RECORD_SECRET' })
    expect(events).toEqual([])
  })

  test('stops the lab when it is aborted', async () => {
    const events: string[] = []
    const stop = new AbortController()
    const recording = record(
      options({
        openLab: labOf(events),
        cases: [caseOf('a'), caseOf('b')],
        signal: stop.signal,
        onProgress: () => stop.abort(new Error('stopped')),
      }),
    )
    await expect(recording).rejects.toThrow('stopped')
    expect(events).toEqual(['boot null', 'GET /a', 'stop'])
  })
})

describe('what looks like a secret', () => {
  const word = (...parts: readonly string[]) => parts.join('')
  const jwt = word('eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxMjM0NTY3', '.abc_def')
  const rows: readonly [string, string, string | null][] = [
    ['a JWT', jwt, 'JWT'],
    ['a bearer token', word('Bearer ', 'abcdefghijklmnopqrst'), 'bearer token'],
    ['an AWS key', word('AKIA', 'ABCDEFGHIJKLMNOP'), 'AWS access key'],
    ['a private key', word('-----BEGIN RSA ', 'PRIVATE KEY-----'), 'private key'],
    ['a GitHub token', word('ghp_', 'a'.repeat(36)), 'GitHub token'],
    ['a Slack token', word('xoxb-', '1234567890-abc'), 'Slack token'],
    ['a Google key', word('AIza', 'b'.repeat(35)), 'Google API key'],
    ['a Stripe key', word('sk_live_', 'c'.repeat(24)), 'Stripe key'],
    ['an npm token', word('npm_', 'd'.repeat(36)), 'npm token'],
    ['a password in a URL', word('postgres://ana:', 'pw@db/x'), 'password in a URL'],
    ['a card number in groups', word('4929-0000', '-0000-0000'), 'card number'],
    ['a card number in a row', word('49290000', '00000000'), 'card number'],
    ['a card number that fails Luhn', word('49290000', '00000007'), null],
    ['a published test card', '4242 4242 4242 4242', null],
    ['a longer number', word('9949290000', '00000000'), null],
    ['a time in milliseconds', '1767323045000', null],
    ['a decimal', '0.4929000000000000', null],
    ['a UUID', '49290000-0000-0000-8000-000000000000', null],
    ['the word bearer', 'the bearer of this', null],
    ['a URL with a port', 'http://127.0.0.1:8080/a@b', null],
    ['an e-mail', 'ana@example.invalid', null],
  ]
  const inBody = (json: Json): readonly string[] =>
    secretsInCase(caseOf('a', { body: { json } })).map(hit => `${hit.kind} at ${hit.place}`)
  test.each(rows)('%s', (_name, text, kind) => {
    const hit = kind === null ? [] : [`${kind} at steps[0].request.body:$.x[0]`]
    expect(inBody({ x: [`say ${text} so`] })).toEqual(hit)
  })

  test('a card number written as a number', () => {
    expect(inBody({ n: Number(word('49290000', '00000000')) })).toEqual(['card number at steps[0].request.body:$.n'])
  })

  test('a member with a name that carries secrets', () => {
    expect(inBody({ access_token: 'abcdefgh', token: 'abcdefgh' })).toEqual([
      'named secret at steps[0].request.body:$.access_token',
    ])
  })

  test('headers that carry credentials, cookies of sessions, parameters of the query', () => {
    const request = { path: '/a?api_key=x&b=1', headers: [['X-Api-Key', 'k'] as const, ['X-Other', 'k'] as const] }
    expect(secretsInCase(caseOf('a', request)).map(hit => hit.place)).toEqual([
      'steps[0].request.path?api_key',
      'steps[0].request.header.x-api-key',
    ])
    const headers = ['PHPSESSID=abc', 'lang=en; Path=/', `x=${'y'.repeat(24)}`, 'sid='].map(
      value => ['Set-Cookie', value] as const,
    )
    const seen: Observation = [{ kind: 'response', method: 'GET', response: { status: 200, headers } }]
    expect(secretsInObservation(seen).length).toBe(2)
  })

  test('what stands under a content coding, in a form, on stderr, in a thrown message', () => {
    const body = { bytes: gzipSync(`{"t":"${jwt}"}`) }
    const observation: Observation = [
      { kind: 'response', method: 'GET', response: { status: 200, headers: [['Content-Encoding', 'gzip']], body } },
      { kind: 'command', exit: 0, stdout: Buffer.from('ok'), stderr: `a\n${jwt}` },
      { kind: 'threw', threw: { name: 'Error', code: null, message: jwt } },
    ]
    expect(secretsInObservation(observation).map(hit => hit.place)).toEqual([
      'steps[0].response.body:$.t',
      'steps[1].command.stderr',
      'steps[2].threw.message',
    ])
    expect(secretsInCase(caseOf('a', { body: { form: [['t', jwt]] } })).map(hit => hit.place)).toEqual([
      'steps[0].request.body:t',
    ])
  })

  test('what spans lines, stands in UTF-16, or is named in a form or in lines of JSON', () => {
    const placesOf = (type: string, bytes: Buffer): readonly string[] => {
      const response = { status: 200, headers: [['Content-Type', type] as const], body: { bytes } }
      return secretsInObservation([{ kind: 'response', method: 'GET', response }]).map(hit => hit.place)
    }
    const opaque = 'k'.repeat(12)
    const place = 'steps[0].response.body'
    expect(placesOf('text/plain', Buffer.from(`say Bearer\n${'t'.repeat(20)}`))).toEqual([place])
    expect(placesOf('text/plain; charset=utf-16', Buffer.from(`\ufeffsay ${jwt}`, 'utf16le'))).toEqual([
      `${place}:$.lines[0]`,
    ])
    expect(placesOf('application/x-www-form-urlencoded', Buffer.from(`a=1&access_token=${opaque}`))).toEqual([
      `${place}:$.access_token[0]`,
    ])
    expect(placesOf('application/x-ndjson', Buffer.from(`{"a":1}\n{"access_token":"${opaque}"}\n`))).toEqual([
      `${place}:$[1].access_token`,
    ])
  })

  test('is looked for at any depth', () => {
    let json: Json = jwt
    for (let level = 0; level < 20_000; level += 1) json = [json]
    expect(inBody(json).length).toBe(1)
  })
})
