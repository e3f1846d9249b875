import { Buffer } from 'node:buffer'
import type { Observation } from '../src/model.ts'
import { response } from './observations.ts'

function of(type: string, body: string | Uint8Array): Observation {
  return response({ headers: [['Content-Type', type]], body: { bytes: Buffer.from(body) } })
}

/** A form with a field, a JSON part and a binary one. */
export function multipartOf(boundary: string): Observation {
  const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`
  return of(
    `multipart/form-data; boundary=${boundary}`,
    Buffer.concat([
      Buffer.from(
        `${part('name="a"')}one\r\ntwo\r\n${part('name="j"\r\nContent-Type: application/json')}{"a":1.50}\r\n`,
      ),
      Buffer.from(part('name="f"; filename="f.png"\r\nContent-Type: image/png')),
      Buffer.from([0, 255, 13, 10, 1]),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  )
}

/** An observation for each comparator. */
export function kindsOfGoldens(): Readonly<Record<string, Observation>> {
  return {
    json: of('application/json', '{"a":1,"b":[1,2]}'),
    ndjson: of('application/x-ndjson', '{"id":"a","n":1.5}\n{"id":"b","n":2}\n'),
    'json-seq': of('application/json-seq', '\u001e{"id":1}\n\u001e[2]\n'),
    text: of('text/plain', 'a\nb\n'),
    form: of('application/x-www-form-urlencoded', 'a=1&b=2&a=3'),
    multipart: multipartOf('----b'),
    sse: of('text/event-stream', 'event: tick\nid: 1\nretry: 5\ndata: {"n":1}\n\ndata: two\ndata: lines\n\n'),
    xml: of(
      'application/xml',
      '<?xml version="1.0"?>\n<list version="1" stamp="s&#10;&quot;">\n  <item>one &amp; two</item>\n  <item/>\n  <p:other x="é">a<b/>c</p:other>\n</list>\n',
    ),
    xhtml: of('application/xhtml+xml', '<!DOCTYPE html><html><p>a <b>c</b> <i/></p><?go on?></html>'),
    binary: of('image/png', Uint8Array.of(0, 255, 1)),
    empty: response({ status: 200 }),
    program: [{ kind: 'command', exit: 0, stdout: Buffer.from('{"a":1}'), stderr: '' }],
    threw: [{ kind: 'threw', threw: { name: 'RangeError', code: 'E', message: 'm' } }],
  }
}
