import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { between, bodied, decode, NONE, notesOf, shown } from '../../test/bodies.ts'
import { compare } from './diff.ts'
import { textOf } from './json.ts'
import { PART_HEAD_MAX_BYTES, PARTS_MAX } from './multipart.ts'

describe('multipart bodies', () => {
  const type = 'multipart/form-data; boundary=b'
  const body = (...parts: string[]) => `${parts.map(part => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
  const field = (name: string, value: string, more = '') =>
    `Content-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}`

  test('a part is its name, file name, type and document', () => {
    const octets = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
      ),
      Buffer.from([0, 255, 13, 10]),
      Buffer.from(
        '\r\n--b\r\nContent-Disposition: form-data; name=j\r\nContent-Type: application/json\r\n\r\n{"a":1.0}\r\n--b--',
      ),
    ])
    const sha = createHash('sha256')
      .update(Buffer.from([0, 255, 13, 10]))
      .digest('hex')
    expect(shown(decode(type, octets))).toBe(
      `multipart [{"name":"f","filename":"a.png","type":"image/png","body":{"sizeBytes":4,"sha256":"${sha}"}},` +
        '{"name":"j","filename":null,"type":"application/json","body":{"a":1.0}}]',
    )
  })

  test('a part without a type is text', () => {
    const decoded = decode(type, body(field('a', 'x\r\ny')))
    expect(shown(decoded)).toBe(
      'multipart [{"name":"a","filename":null,"type":"text/plain","body":{"lines":["x","y"]}}]',
    )
    expect(notesOf(decoded)).toEqual(['builtin:line-ends part 0: crlf', 'builtin:part-type part 0: no type said'])
  })

  test('D11: another boundary makes no difference, another part does', () => {
    const parts = (boundary: string, value: string) =>
      bodied(
        `multipart/form-data; boundary=${boundary}`,
        `--${boundary}\r\n${field('a', value)}\r\n--${boundary}--\r\n`,
      )
    expect(between(parts('----A', '1'), parts('----B', '1'))).toEqual([])
    expect(between(parts('----A', '1'), parts('----B', '2'))).toEqual(['value_changed $[0].body.lines[0] "1" → "2"'])
  })

  test.each([
    ['another name', field('a', '1'), field('b', '1'), ['value_changed $[0].name "a" → "b"']],
    [
      'another file name',
      field('a', '1', '; filename="x"'),
      field('a', '1', '; filename="y"'),
      ['value_changed $[0].filename "x" → "y"'],
    ],
    [
      'a file name that is lost',
      field('a', '1', '; filename="x"'),
      field('a', '1'),
      ['type_changed $[0].filename "x" → null'],
    ],
    [
      'a part more',
      field('a', '1'),
      `${field('a', '1')}\r\n--b\r\n${field('b', '2')}`,
      ['extra $[1] null → {"name":"b","filename":null,"type":"text/plain","body":{"lines":["2"]}}'],
    ],
    ['an empty body', field('a', '1'), field('a', ''), ['value_changed $[0].body.lines[0] "1" → ""']],
  ])('%s is told', (_, golden, actual, differences) => {
    expect(between(bodied(type, body(golden)), bodied(type, body(actual)))).toEqual(differences)
  })

  test('a JSON part that is none differs from one whose value looks like its text', () => {
    const part = (json: string) =>
      `Content-Disposition: form-data; name="j"\r\nContent-Type: application/json\r\n\r\n${json}`
    expect(between(bodied(type, body(part('{"lines":["oops"]}'))), bodied(type, body(part('oops'))))).toEqual([
      'extra $[0].kind null → "text"',
    ])
    expect(between(bodied(type, body(part('null'))), bodied(type, body(part(''))))).not.toEqual([])
  })

  test('transfer encodings are undone', () => {
    const part = (encoding: string, value: string) =>
      `Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${value}`
    const plain = bodied(type, body(field('a', 'é=1')))
    expect(between(plain, bodied(type, body(part('base64', 'w6k9\r\nMQ=='))))).toEqual([])
    expect(between(plain, bodied(type, body(part('quoted-printable', '=C3=A9=\r\n=3D1'))))).toEqual([])
    expect(between(plain, bodied(type, body(part('base64', 'w6k9Mg=='))))).toEqual([
      'value_changed $[0].body.lines[0] "é=1" → "é=2"',
    ])
  })

  test('other fields of a form are notes; of another multipart they count', () => {
    const part = (value: string) => `Content-Type: text/plain\r\nContent-Range: bytes ${value}\r\n\r\nx`
    const ranges = (value: string) => bodied('multipart/byteranges; boundary=b', body(part(value)))
    expect(between(ranges('0-0/5'), ranges('1-1/5'))).toEqual([
      `value_changed $[0].headers['content-range'][0] "bytes 0-0/5" → "bytes 1-1/5"`,
    ])
    expect(notesOf(decode(type, body(`X-A: 1\r\n${field('a', '1')}`)))).toContain('builtin:part-header part 0: x-a: 1')
  })

  test('a disposition other than form-data counts', () => {
    const mixed = (kind: string) =>
      bodied('multipart/mixed; boundary=b', body(`Content-Disposition: ${kind}; filename="x"\r\n\r\n1`))
    expect(between(mixed('attachment'), mixed('inline'))).toEqual([
      `value_changed $[0].headers['content-disposition'][0] "attachment" → "inline"`,
    ])
  })

  test('names: quoted, in UTF-8, extended, and with a path of an old browser', () => {
    const name = (parameter: string) =>
      textOf(decode(type, body(`Content-Disposition: form-data; name="a"; ${parameter}\r\n\r\n1`)).value)
    expect(name('filename="a\\"b;c.txt"')).toContain('"filename":"a\\"b;c.txt"')
    expect(name('filename="é.txt"')).toContain('"filename":"é.txt"')
    expect(name(`filename="e.txt"; filename*=UTF-8''%C3%A9.txt`)).toContain('"filename":"é.txt"')
    expect(name('filename="C:\\dir\\a.txt"')).toContain('"filename":"C:\\\\dir\\\\a.txt"')
  })

  test('a multipart in a multipart has its own boundary', () => {
    const inner = (boundary: string, value: string) =>
      `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n\r\n${value}\r\n--${boundary}--`
    const outer = (boundary: string, value: string) =>
      bodied('multipart/mixed; boundary=b', body(inner(boundary, value)))
    expect(between(outer('c', '1'), outer('d', '1'))).toEqual([])
    expect(between(outer('c', '1'), outer('d', '2'))).toEqual(['value_changed $[0].body[0].body.lines[0] "1" → "2"'])
  })

  test('preamble, padding and epilogue are no part of it', () => {
    const plain = bodied(type, body(field('a', '1')))
    const padded = bodied(type, `hello\r\n--b \t\r\n${field('a', '1')}\r\n--b-- \r\nbye`)
    expect(between(plain, padded)).toEqual([])
    expect(compare(plain, padded, NONE).notes.map(({ id, detail }) => `${id} ${detail}`)).toEqual([
      'builtin:multipart-preamble not so/hello | bye',
    ])
  })

  test.each([
    ['no boundary', 'multipart/form-data', body(field('a', '1')), 'has no usable boundary'],
    ['no closing delimiter', type, `--b\r\n${field('a', '1')}\r\n`, 'has no closing delimiter'],
    ['no delimiter', type, 'x', 'has no delimiter'],
    ['a first delimiter that does not begin its line', type, `x${body(field('a', '1'))}`, 'has no part'],
    ['line ends without CR', type, body(field('a', '1')).replaceAll('\r', ''), 'has no delimiter'],
    ['a field without a name', type, body(': form-data; name="a"\r\n\r\n1'), 'has a part with a field that is none'],
    [
      'a line end in a field',
      type,
      body('Content-\r\nDisposition: form-data; name="a"\r\n\r\n1'),
      'has a part with a field that is none',
    ],
    ['fields that do not end', type, body('Content-Type: text/plain'), 'has a part whose fields do not end'],
    [
      'a field twice',
      type,
      body(`Content-Type: a/b\r\nContent-Type: a/b\r\n${field('a', '1')}`),
      'has a part with content-type twice',
    ],
    [
      'base64 that is none',
      type,
      body(`Content-Transfer-Encoding: base64\r\n${field('a', '1')}`),
      'has a part that is not in its transfer encoding',
    ],
    [
      'an unknown transfer encoding',
      type,
      body(`Content-Transfer-Encoding: x\r\n${field('a', '1')}`),
      'has a part that is not in its transfer encoding',
    ],
  ])('%s makes it text, with a note', (_, media, octets, why) => {
    const decoded = decode(media, octets)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain(`builtin:content-type multipart/form-data that ${why}`)
    expect(between(bodied(media, octets), bodied(media, octets))).toEqual([])
    expect(between(bodied(type, body(field('a', '1'))), bodied(media, octets))).toEqual([
      'content_kind $ "multipart" → "text"',
    ])
  })

  test('a line that only begins like the boundary is content', () => {
    expect(textOf(decode(type, body(field('a', '1\r\n--bb\r\n2'))).value)).toContain('{"lines":["1","--bb","2"]}')
  })

  test('no parts are an empty list, a part may be empty', () => {
    expect(shown(decode(type, '--b--'))).toBe('multipart []')
    expect(textOf(decode('multipart/mixed; boundary=b', '--b\r\n\r\n--b--').value)).toBe(
      '[{"name":null,"filename":null,"type":"text/plain","body":{"lines":[""]}}]',
    )
  })

  test('each bound is said', () => {
    const nested = (levels: number): string =>
      levels === 0
        ? 'x'
        : `--b${levels}\r\nContent-Type: multipart/mixed; boundary=b${levels - 1}\r\n\r\n${nested(levels - 1)}\r\n--b${levels}--`
    expect(decode('multipart/mixed; boundary=b9', nested(9)).fault?.message).toBe(
      'multipart bodies stand more than 8 deep in one another',
    )
    const many = `--b\r\n\r\n${'--b\r\n\r\n'.repeat(PARTS_MAX)}--b--`
    expect(decode(type, many).fault).toEqual({ reason: 'over-limit', message: 'more than 10000 parts' })
    expect(decode(type, body(`X: ${'x'.repeat(PART_HEAD_MAX_BYTES)}\r\n\r\n`)).fault?.message).toBe(
      'a part has more than 65536 bytes of fields',
    )
  })
})
