/** Attacks through what surrounds a document: headers, cookies, statuses, forms, programs, errors. */
import type { Observation, Response, StepObservation } from '../../src/model.ts'
import { cased, type Headers, response } from './bodies.ts'
import type { Random } from './random.ts'
import type { Trial } from './trial.ts'

/** The same response, or one of which a part that DESIGN compares was changed. */
function headers(random: Random): Trial {
  const base: Headers = [
    ['Content-Type', 'application/json'],
    ['Cache-Control', 'no-store'],
    ['Location', '/orders/7'],
    ['Allow', 'GET'],
    ['WWW-Authenticate', 'Basic realm="x"'],
    ['Set-Cookie', 'sid=abc; Path=/; HttpOnly'],
    ['Set-Cookie', 'theme=dark; Max-Age=60; Secure; SameSite=Lax'],
    ['X-Trace', '1'],
  ]
  const start = base.filter(([name]) => name === 'Content-Type' || random.chance(0.7))
  const at = (name: string): number => start.findIndex(([other]) => other === name)
  const replaced = (from: RegExp, to: string): Headers => start.map(([name, value]) => [name, value.replace(from, to)])
  const same: (() => Headers)[] = [
    () => start.map(([name, value]) => [cased(random, name), value]),
    () => [...start, [random.pick(['Date', 'ETag', 'Connection', 'Content-Length', 'X-Other', '__proto__']), '7']],
    () => replaced(/application\/json/, 'Application/JSON'),
    () => replaced(/application\/json/, 'application/json; charset=utf-8'),
    () => replaced(/^1$/, '2'),
    () => replaced(/sid=abc/, 'sid=xyz'),
    () => start.filter(([name]) => name !== 'X-Trace'),
    () => {
      const cookies = start.filter(([name]) => name === 'Set-Cookie')
      return [...cookies, ...start.filter(([name]) => name !== 'Set-Cookie')]
    },
  ]
  const other: (readonly [string, () => Headers])[] = [
    ['Cache-Control', () => replaced(/no-store/, 'no-cache')],
    ['Location', () => replaced(/orders\/7/, 'orders/8')],
    ['Location', () => replaced(/orders/, 'Orders')],
    ['Allow', () => replaced(/^GET$/, 'POST')],
    ['WWW-Authenticate', () => replaced(/Basic/, 'Bearer')],
    ['Set-Cookie', () => replaced(/sid=abc/, 'sid=')],
    ['Set-Cookie', () => replaced(/sid=/, 'sid2=')],
    ['Set-Cookie', () => replaced(/HttpOnly/, 'Secure')],
    ['Set-Cookie', () => replaced(/SameSite=Lax/, 'SameSite=None')],
    ['Set-Cookie', () => replaced(/Path=\//, 'Path=/a')],
    ['Set-Cookie', () => replaced(/; HttpOnly/, '')],
    ['Set-Cookie', () => start.filter((_, index) => index !== at('Set-Cookie'))],
    ['Set-Cookie', () => [...start, ['Set-Cookie', 'new=1']]],
    ['Content-Type', () => replaced(/application\/json/, 'application/problem+json')],
    ['Content-Type', () => replaced(/application\/json/, 'application/json; version=2')],
    ['Content-Type', () => start.filter(([name]) => name !== 'Content-Type')],
    ['Cache-Control', () => start.filter(([name]) => name !== 'Cache-Control')],
  ]
  const body = { text: '{"a":1}' }
  const golden = response({ status: 200, headers: start, body })
  const changed = random.pick(other)
  const expect = random.pick(['equal', 'different', 'status'] as const)
  const has = expect === 'different' && at(changed[0]) >= 0
  const now = has ? changed[1]() : expect === 'equal' ? random.pick(same)() : start
  const differs = has && JSON.stringify(now) !== JSON.stringify(start)
  const status = expect === 'status' ? random.pick([201, 404, 500]) : 200
  const actual = response({ status, headers: now, body })
  const yaml = random.pick(['', '', 'exact:\n  - $.a\n', 'numeric_tolerance:\n  $.a: 1\n'])
  const why = differs ? `${changed[0]} changed` : expect
  return { golden, actual, yaml, expect: differs || status !== 200 ? 'different' : 'equal', why }
}

/** Cookies and compared headers of any sort: nothing is expected but what holds for every pair. */
function fields(random: Random): Trial {
  const values = [
    '',
    ' ',
    ';',
    ';;=;',
    '=',
    'a',
    'a=',
    '=a',
    'a=1; Path=/; path=/x',
    'a=1; EXPIRES=Wed, 21 Oct 2015 07:28:00 GMT',
    'a="1; b"; Secure',
    '__proto__=1; __proto__=2',
    'a=1; Max-Age=1e9',
    'a=\u0000; \u00ff',
    '\ud800',
    'application/json; charset',
    'application/json;charset="utf-8',
    'multipart/form-data',
    'multipart/form-data; boundary=""',
    'multipart/mixed; boundary=a; boundary=b',
    'text/event-stream',
    '/',
    '//',
    'http://',
    'http://[',
    'https://h:99999/',
    'Basic, Bearer realm="a, b", =',
    'x'.repeat(20_000),
    `${'a=1; '.repeat(3000)}`,
  ]
  const names = ['Set-Cookie', 'set-cookie', 'Content-Type', 'Location', 'Allow', 'Cache-Control', 'WWW-Authenticate']
  const odd = ['', '__proto__', 'constructor', 'Content-Encoding', 'Transfer-Encoding', 'a b', 'é']
  const list = (): Headers =>
    Array.from({ length: random.int(5) }, () => [random.pick(random.chance(0.8) ? names : odd), random.pick(values)])
  const text = (): string => random.pick(['', '{', '{"a":1}', '--', 'data: 1\n\n', '<a/>', '\u0000', 'a=b&a'])
  const side = (from?: Headers): Observation => {
    const fields =
      from === undefined ? list() : random.chance(0.4) ? random.shuffled(from) : [...from, ...list().slice(0, 1)]
    const body = random.pick([{ text: text() }, { bytes: Buffer.from(text()) }, { form: fields }, undefined])
    const head: Response = { status: random.pick([200, 200, 204, 304, 0, -1]), headers: fields }
    return response(body === undefined ? head : { ...head, body }, random.pick(['GET', 'HEAD', 'head', '']))
  }
  const first = list()
  const yaml = random.pick([
    '',
    'ignore:\n  - header.set-cookie\n',
    'structural:\n  - header.location\n  - header.set-cookie\n',
    'ignore:\n  - status\n',
    'exact:\n  - header.content-type\n',
  ])
  const [golden, actual] = [side(first), side(first)]
  // An unknown coding is a fault on one side and a difference on the other.
  const broken = /content-encoding/i.test(JSON.stringify([golden, actual]))
  return { golden, actual, yaml, expect: 'open', broken, why: 'any headers' }
}
/** Bodies that are absent, or that the method or status gives no meaning. */
function empty(random: Random): Trial {
  const headers: Headers = random.pick([
    [],
    [['Content-Type', 'application/json']],
    [['Content-Type', 'text/plain']],
  ]) as Headers
  const [method, status] = random.pick([
    ['GET', 200],
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
    ['POST', 201],
  ] as const)
  const none: readonly Pick<Response, 'body'>[] = [{}, { body: { bytes: new Uint8Array() } }, { body: { text: '' } }]
  const some: readonly Pick<Response, 'body'>[] = [
    { body: { bytes: Buffer.from('{"a":1}') } },
    { body: { text: '0' } },
    { body: { bytes: Buffer.from([0]) } },
  ]
  const filled = random.chance(0.5)
  const bodiless = method === 'HEAD' || status === 204 || status === 304
  const golden = response({ status, headers, ...random.pick(none) }, method)
  const actual = response({ status, headers, ...random.pick(filled ? some : none) }, method)
  const expect = !filled || method === 'HEAD' ? 'equal' : bodiless ? 'open' : 'different'
  const [first, second] = random.chance(0.5) ? [golden, actual] : [actual, golden]
  return {
    golden: first,
    actual: second,
    yaml: '',
    expect,
    why: `${method} ${status}, ${filled ? 'one body' : 'no body'}`,
  }
}

/** Form bodies: name to values, order of one name kept, order between names free. */
function forms(random: Random): Trial {
  const type: Headers = [['Content-Type', 'application/x-www-form-urlencoded']]
  const names = ['a', 'b', '__proto__', 'a b', 'é', '0', '1', 'length']
  const pairs = Array.from({ length: random.int(5) }, (): [string, string] => [
    random.pick(names),
    random.pick(['', '1', '2', 'x y', 'é', '+', '&', '=', '%', '\u0000', '\r\n', '😀']),
  ])
  const encoded = (value: string): string =>
    [...Buffer.from(value)]
      .map(byte => {
        const char = String.fromCharCode(byte)
        if (/[A-Za-z0-9]/.test(char) && !random.chance(0.2)) return char
        if (char === ' ' && random.chance(0.5)) return '+'
        const hex = byte.toString(16).padStart(2, '0')
        return `%${random.chance(0.5) ? hex.toUpperCase() : hex}`
      })
      .join('')
  const text = (list: readonly (readonly [string, string])[]): string =>
    list.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  const regrouped = random
    .shuffled([...new Set(pairs.map(([name]) => name))])
    .flatMap(name => pairs.filter(([other]) => other === name))
  const edit = random.pick(['none', 'value', 'drop', 'swap', 'octet'] as const)
  const last = regrouped.at(-1)
  const other: (readonly [string, string])[] =
    last === undefined || edit === 'none'
      ? regrouped
      : edit === 'value'
        ? [...regrouped.slice(0, -1), [last[0], `${last[1]}x`]]
        : edit === 'drop'
          ? regrouped.slice(0, -1)
          : edit === 'swap'
            ? [...regrouped, [last[0], 'new'], [last[0], 'newer']]
            : regrouped
  const base =
    edit === 'swap' && last !== undefined ? [...pairs, [last[0], 'newer'] as const, [last[0], 'new'] as const] : pairs
  const octets =
    edit === 'octet'
      ? random.pick([
          ['%FF', '%FE'],
          ['%C3', '%C4'],
          ['%ED%A0%80', '%ED%A0%81'],
          ['%EF%BF%BD', '%FF'],
        ] as const)
      : null
  const side = (list: readonly (readonly [string, string])[], tail: string | undefined): Observation => {
    const whole = tail === undefined ? text(list) : `${text([...list, ['tail', '']])}${tail}`
    const body = random.chance(0.3) && tail === undefined ? { form: list } : { bytes: Buffer.from(whole) }
    return response({ status: 200, headers: type, body })
  }
  const changed = octets !== null || (last !== undefined && edit !== 'none')
  // No pair at all is an empty body: its kind is another matter.
  const expect = pairs.length === 0 || other.length === 0 ? 'open' : changed ? 'different' : 'equal'
  return {
    golden: side(base, octets?.[0]),
    actual: side(other, octets?.[1]),
    yaml: '',
    expect,
    broken: octets !== null,
    why: `form, ${edit}`,
  }
}

/** Programs, errors, functions, sequences. */
function steps(random: Random): Trial {
  const thrown = { name: 'RangeError', code: random.pick([null, 'E_X']), message: 'out of range' }
  const stdout = Buffer.from(random.pick(['{"a":1}', '[1,2]', 'plain\n', '']))
  const any: readonly StepObservation[] = [
    { kind: 'output', output: { a: 1, b: ['x'] } },
    { kind: 'output', output: null },
    { kind: 'threw', threw: thrown },
    { kind: 'command', exit: random.int(3), stdout, stderr: random.pick(['', 'warning\n', '\ud800']) },
    { kind: 'response', method: 'GET', response: { status: 200, headers: [], body: { text: 'x' } } },
  ]
  const list = Array.from({ length: 1 + random.int(3) }, () => random.pick(any))
  const at = random.int(list.length)
  const changed = (step: StepObservation): StepObservation => {
    switch (step.kind) {
      case 'output':
        return random.pick<StepObservation>([
          { kind: 'output', output: { a: 1, b: ['y'] } },
          { kind: 'output', output: [] },
          { kind: 'output', output: { a: 1, b: ['x'], c: null } },
          { kind: 'output', output: null, unserialisable: { path: '$', what: 'a function' } },
        ])
      case 'threw':
        return random.pick<StepObservation>([
          { kind: 'threw', threw: { ...step.threw, message: 'other' } },
          { kind: 'threw', threw: { ...step.threw, name: 'TypeError' } },
          { kind: 'threw', threw: { ...step.threw, code: 'E_Y' } },
          { kind: 'output', output: null },
        ])
      case 'command':
        return random.pick<StepObservation>([
          { ...step, exit: step.exit + 1 },
          { ...step, stderr: `${step.stderr}x` },
          { ...step, stdout: Buffer.concat([step.stdout, Buffer.from('x')]) },
        ])
      default:
        return random.pick<StepObservation>([
          { ...step, response: { ...step.response, status: 500 } },
          { ...step, response: { ...step.response, broken: 'short body' } },
          { ...step, response: { ...step.response, body: { text: 'y' } } },
          { kind: 'threw', threw: thrown },
        ])
    }
  }
  const edit = random.pick(['none', 'change', 'more', 'fewer', 'mixed'] as const)
  const mixed = Array.from({ length: random.int(4) }, () => random.pick(any))
  const actual =
    edit === 'none'
      ? [...list]
      : edit === 'change'
        ? list.map((step, index) => (index === at ? changed(step) : step))
        : edit === 'more'
          ? [...list, random.pick(any)]
          : edit === 'fewer'
            ? list.slice(0, -1)
            : mixed
  const yaml = random.pick(['', '', 'ignore:\n  - "steps[7]:$.id"\n', 'exact:\n  - exit\n'])
  const expect = edit === 'none' ? 'equal' : edit === 'mixed' ? 'open' : 'different'
  // A broken response is never a recording, so its swap is nothing that can happen.
  const lame = actual.some(
    step =>
      (step.kind === 'response' && step.response.broken !== undefined) ||
      (step.kind === 'output' && step.unserialisable !== undefined),
  )
  return {
    golden: list,
    actual,
    yaml,
    expect,
    broken: lame || edit === 'mixed' || actual.length === 0,
    why: `steps, ${edit}`,
  }
}

export const HTTP_TRIALS: Readonly<Record<string, (random: Random) => Trial>> = { headers, fields, empty, forms, steps }
