import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { response, rulesOf, told } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { type Decoded, decodeBody } from './bodies.ts'
import { compare } from './diff.ts'
import { textOf } from './json.ts'
import { PART_HEAD_MAX_BYTES, PARTS_MAX } from './multipart.ts'
import { XML_DEPTH_MAX } from './xml.ts'

const NONE = rulesOf('{}', [])

function decode(type: string, body: string | Uint8Array): Decoded {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
  return decodeBody({ headers: [['Content-Type', type]], body: { bytes }, method: 'GET', status: 200 })
}

function of(type: string, body: string | Uint8Array): Observation {
  return response({ headers: [['Content-Type', type]], body: { bytes: Buffer.from(body) } })
}

function shown(decoded: Decoded): string {
  return `${decoded.kind} ${textOf(decoded.value)}`
}

function notesOf(decoded: Decoded): string[] {
  return decoded.notes.map(({ id, detail }) => `${id} ${detail}`)
}

/** Differences both ways: the second must be the first with its sides swapped. */
function between(golden: Observation, actual: Observation, rules = NONE): string[] {
  const there = compare(golden, actual, rules)
  const back = compare(actual, golden, rules)
  expect(back.differences.map(({ legacy, candidate }) => `${candidate} ${legacy}`).sort()).toEqual(
    there.differences.map(({ legacy, candidate }) => `${legacy} ${candidate}`).sort(),
  )
  expect(told(compare(golden, golden, rules))).toEqual([])
  return told(there)
}

describe('lines of JSON', () => {
  const type = 'application/x-ndjson'
  test.each([
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines; charset=utf-8',
  ])('%s is the array of its values', media => {
    expect(shown(decode(media, '{"a":10.00}\n[1]\nnull\n'))).toBe('ndjson [{"a":10.00},[1],null]')
  })

  test.each(['application/json-seq', 'application/geo+json-seq'])('%s is the array of its records', media => {
    expect(shown(decode(media, '\u001e{"a":\n1}\n\u001e2\n'))).toBe('ndjson [{"a":1},2]')
  })

  test('empty lines and a last line without an end are notes', () => {
    expect(notesOf(decode(type, '1\n\n \r\n2'))).toEqual([
      'builtin:empty-lines 2 empty lines, no line end after the last line',
    ])
    expect(between(of(type, '1\n2\n'), of(type, '1\n\n2'))).toEqual([])
  })

  test.each([
    ['a line that is not JSON', type, '{"a":1}\n{"a":\n', 'has a line 2 that is not JSON'],
    ['a sequence without a separator', 'application/json-seq', '1\n', 'does not begin with a record separator'],
    ['a number that may be cut', 'application/json-seq', '\u001e1', 'has a record 1 that may be cut short'],
  ])('%s makes it text, with a note', (_, media, body, why) => {
    const decoded = decode(media, body)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain(`builtin:content-type ${media} that ${why}`)
  })

  test('a broken line on one side only is another kind of document', () => {
    expect(between(of(type, '1\n2\n'), of(type, '1\nx\n'))).toEqual(['content_kind $ "ndjson" → "text"'])
  })

  test('values are compared one by one, and a rule names a field of all lines', () => {
    const [golden, actual] = [
      of(type, '{"id":1,"v":1}\n{"id":2,"v":2}\n'),
      of(type, '{"id":8,"v":1}\n{"id":9,"v":3}\n'),
    ]
    expect(between(golden, actual, rulesOf("structural: ['$[*].id']", []))).toEqual(['value_changed $[1].v 2 → 3'])
  })

  test('text that is JSON lines under a text type stays text', () => {
    expect(decode('text/plain', '1\n2\n').kind).toBe('text')
  })
})

describe('D17: event streams', () => {
  const type = 'text/event-stream'
  test('events are those that a client gets', () => {
    const stream = ': hello\nretry: 500\nevent: tick\nid: 7\ndata: {"n":1}\ndata:two\n\ndata\n\ndata:  x\nid\n\n'
    expect(shown(decode(type, stream))).toBe(
      'sse [{"event":"tick","id":"7","data":"{\\"n\\":1}\\ntwo","retry":500},' +
        '{"event":"message","id":"7","data":"","retry":null},{"event":"message","id":"","data":" x","retry":null}]',
    )
  })

  test.each([
    ['line ends of another kind', 'data: 1\r\n\r\ndata: 2\r\r', 'data: 1\n\ndata: 2\n\n'],
    ['the event named message', 'event: message\ndata: 1\n\n', 'data:1\n\n'],
    ['an id said again', 'id: 1\ndata: a\n\nid: 1\ndata: b\n\n', 'id: 1\ndata: a\n\ndata: b\n\n'],
    ['more empty lines', 'data: 1\n\n\n\n', 'data: 1\n\n'],
    ['a byte order mark', '\ufeffdata: 1\n\n', 'data: 1\n\n'],
    ['a comment', ': ping\ndata: 1\n\n', 'data: 1\n\n'],
    ['an event without data', 'event: x\n\ndata: 1\n\n', 'data: 1\n\n'],
    ['an unknown field', 'data: 1\nx: 2\n\n', 'data: 1\n\n'],
  ])('%s makes no difference', (_, golden, actual) => {
    expect(between(of(type, golden), of(type, actual))).toEqual([])
  })

  test('what no client gets is a note', () => {
    const { notes } = compare(of(type, ': ping\ndata: 1\n\n'), of(type, 'data: 1\n\n'), NONE)
    expect(notes.map(({ id, detail }) => `${id} ${detail}`)).toEqual(['builtin:event-stream-lines : ping/not so'])
  })

  test.each([
    ['other data', 'data: 1\n\n', 'data: 2\n\n', ['value_changed $[0].data "1" → "2"']],
    [
      'a lost event',
      'data: 1\n\ndata: 2\n\n',
      'data: 1\n\n',
      ['missing $[1] {"event":"message","id":"","data":"2","retry":null} → null'],
    ],
    ['another event', 'event: a\ndata: 1\n\n', 'event: b\ndata: 1\n\n', ['value_changed $[0].event "a" → "b"']],
    ['another id', 'id: 1\ndata: 1\n\n', 'id: 2\ndata: 1\n\n', ['value_changed $[0].id "1" → "2"']],
    ['another retry', 'retry: 1\ndata: 1\n\n', 'retry: 2\ndata: 1\n\n', ['value_changed $[0].retry 1 → 2']],
    ['a last event that is cut off', 'data: 1\n\n', 'data: 1\n', ['extra $[0].unfinished null → true']],
    [
      'a retry at the end',
      'data: 1\n\n',
      'data: 1\n\nretry: 9\n\n',
      ['extra $[1] null → {"event":null,"id":"","data":null,"retry":9}'],
    ],
    [
      'one blob in place of two events',
      'data: 1\n\ndata: 2\n\n',
      'data: 1\ndata: 2\n\n',
      [
        'value_changed $[0].data "1" → "1\\n2"',
        'missing $[1] {"event":"message","id":"","data":"2","retry":null} → null',
      ],
    ],
  ])('%s is told', (_, golden, actual, differences) => {
    expect(between(of(type, golden), of(type, actual)).toSorted()).toEqual(differences.toSorted())
  })

  test('data stays text, and a hint says where only its writing differs', () => {
    const { differences } = compare(of(type, 'data: {"a":1,"b":2}\n\n'), of(type, 'data: {"b":2, "a":1}\n\n'), NONE)
    expect(differences.map(({ path, hint }) => [path, hint])).toEqual([
      ['$[0].data', 'the same JSON, written differently'],
    ])
  })

  test.each([
    ['an error page', '{"error":"a"}'],
    ['a retry alone', 'retry: 10000\n\n'],
  ])('%s is no stream: its text counts', (_, body) => {
    const decoded = decode(type, body)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain('builtin:content-type text/event-stream that holds no event')
    expect(between(of(type, body), of(type, body.replace(/a|1/, 'b')))).toHaveLength(1)
    expect(between(of(type, 'data: 1\n\n'), of(type, body))).toEqual(['content_kind $ "sse" → "text"'])
  })

  test('a stream of comments alone has no events', () => {
    expect(shown(decode(type, ': ping\n\n: ping\n\n'))).toBe('sse []')
  })
})

describe('XML', () => {
  const type = 'application/xml'
  const element = (children: string) => `xml {"name":"a","attributes":{},"children":${children}}`
  test.each([
    ['an element', '<a/>', element('[]')],
    ['text', '<a>x</a>', element('["x"]')],
    [
      'attributes as written, in their order',
      '<a><p:b y="1" x="2"/></a>',
      element('[{"name":"p:b","attributes":{"y":"1","x":"2"},"children":[]}]'),
    ],
    ['CDATA is text', '<a>x<![CDATA[<&]]>y</a>', element('["x<&y"]')],
    ['references are what they stand for', '<a>&lt;&amp;&#65;&#x42;</a>', element('["<&AB"]')],
    ['an instruction below the root', '<a><?go on?></a>', element('[{"instruction":"<?go on?>"}]')],
    ['space beside text is text', '<a>x <b/> </a>', element('["x ",{"name":"b","attributes":{},"children":[]}," "]')],
    ['space alone is text', '<a> </a>', element('[" "]')],
    ['indentation is none', '<a>\n  <b/>\n</a>', element('[{"name":"b","attributes":{},"children":[]}]')],
  ])('%s', (_, body, expected) => {
    expect(shown(decode(type, body))).toBe(expected)
  })

  test.each(['text/xml', 'application/atom+xml; charset=utf-8', 'image/svg+xml'])('%s is XML', media => {
    expect(decode(media, '<a/>').kind).toBe('xml')
  })

  test('kept space stays: by xml:space, and in XHTML', () => {
    expect(textOf(decode(type, '<a xml:space="preserve"> <b/></a>').value)).toContain('[" ",{')
    expect(textOf(decode('application/xhtml+xml', '<a> <b/></a>').value)).toContain('[" ",{')
  })

  test('the document type and instructions outside the root are in the prolog', () => {
    expect(textOf(decode(type, '<?xml version="1.0"?><!DOCTYPE a><?s x?><a/>').value)).toBe(
      '{"name":"a","attributes":{},"children":[],"prolog":["<!DOCTYPE a>","<?s x?>"]}',
    )
  })

  test.each([
    ['attributes in another order', '<a x="1" y="2"/>', `<a y='2' x='1'></a>`],
    ['a comment', '<a>x<!-- c -->y</a>', '<a>xy</a>'],
    ['indentation', '<a><b/><c/></a>', '<a>\n\t<b/>\r\n\t<c/>\n</a>\n'],
    ['another declaration', '<?xml version="1.0" encoding="utf-8"?><a/>', '<a/>'],
  ])('%s makes no difference', (_, golden, actual) => {
    expect(between(of(type, golden), of(type, actual))).toEqual([])
  })

  test('what was let pass is noted', () => {
    const { notes } = compare(of(type, '<?xml version="1.0"?><a><b/></a>'), of(type, '<a> <b/><!----></a>'), NONE)
    expect(notes.map(({ id, detail }) => `${id} ${detail}`)).toEqual([
      'builtin:xml-declaration version 1.0/not so',
      'builtin:xml-comments not so/1 comments',
      'builtin:xml-indentation not so/1 indents',
    ])
  })

  test.each([
    ['another text', '<a>1</a>', '<a>2</a>', ['value_changed $.children[0] "1" → "2"']],
    ['another attribute', '<a x="1"/>', '<a x="2"/>', ['value_changed $.attributes.x "1" → "2"']],
    ['a lost attribute', '<a x="1"/>', '<a/>', ['missing $.attributes.x "1" → null']],
    ['another name', '<a/>', '<b/>', ['value_changed $.name "a" → "b"']],
    [
      'another prefix',
      '<p:a xmlns:p="u"/>',
      '<q:a xmlns:q="u"/>',
      [
        'value_changed $.name "p:a" → "q:a"',
        'missing $.attributes[\'xmlns:p\'] "u" → null',
        'extra $.attributes[\'xmlns:q\'] null → "u"',
      ],
    ],
    ['elements in another order', '<a><b/><c/></a>', '<a><c/><b/></a>', ['order $.children']],
    ['space in a text', '<a> 1</a>', '<a>1</a>', ['value_changed $.children[0] " 1" → "1"']],
  ])('%s is told', (_, golden, actual, differences) => {
    const found = between(of(type, golden), of(type, actual))
    expect(found.map(line => (line.startsWith('order') ? line.split(' ').slice(0, 2).join(' ') : line))).toEqual(
      differences,
    )
  })

  test.each([
    ['an open element', '<a>', 'is not well-formed: 1:3: unclosed tag: a'],
    ['two roots', '<a/><b/>', 'is not well-formed: 1:7: documents may contain only one root'],
    ['an attribute twice', '<a x="1" x="2"/>', 'is not well-formed: 1:16: duplicate attribute: x'],
    ['HTML', '<p>a<br>b</p>', 'is not well-formed: 1:13: unexpected close tag'],
    ['JSON', '{"a":1}', 'is not well-formed: 1:7: text data outside of root node'],
    [
      'an entity of its document type',
      '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
      'is not well-formed: 1:36: undefined entity',
    ],
    [
      'an external entity',
      '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
      'is not well-formed: 1:60: undefined entity',
    ],
    ['a name of Object', '<a>&constructor;</a>', 'is not well-formed: 1:16: undefined entity'],
  ])('%s makes it text, with a note', (_, body, why) => {
    const decoded = decode(type, body)
    expect(decoded.kind).toBe('text')
    expect(notesOf(decoded)).toContain(`builtin:content-type application/xml that ${why}`)
  })

  test('elements that stand too deep are over the limit, with the bound in the message', () => {
    const deep = (levels: number) => '<a>'.repeat(levels) + '</a>'.repeat(levels)
    expect(decode(type, deep(XML_DEPTH_MAX)).kind).toBe('xml')
    expect(decode(type, deep(XML_DEPTH_MAX + 1)).fault).toEqual({
      reason: 'over-limit',
      message: 'elements stand more than 1000 deep',
    })
  })

  test.each<[string, string, Buffer]>([
    ['it declares', type, Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>', 'latin1')],
    ['its type says', 'text/xml; charset=iso-8859-1', Buffer.from('<a>é</a>', 'latin1')],
    ['its byte order mark says', 'text/xml; charset=utf-8', Buffer.from('\ufeff<a>é</a>', 'utf16le')],
  ])('it is read in the charset that %s', (_, media, octets) => {
    expect(textOf(decode(media, octets).value)).toContain('["é"]')
  })

  test('a prototype is no attribute', () => {
    expect(textOf(decode(type, '<a __proto__="1" constructor="2"/>').value)).toContain(
      '{"__proto__":"1","constructor":"2"}',
    )
  })
})

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
      of(`multipart/form-data; boundary=${boundary}`, `--${boundary}\r\n${field('a', value)}\r\n--${boundary}--\r\n`)
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
    expect(between(of(type, body(golden)), of(type, body(actual)))).toEqual(differences)
  })

  test('a JSON part that is none differs from one whose value looks like its text', () => {
    const part = (json: string) =>
      `Content-Disposition: form-data; name="j"\r\nContent-Type: application/json\r\n\r\n${json}`
    expect(between(of(type, body(part('{"lines":["oops"]}'))), of(type, body(part('oops'))))).toEqual([
      'extra $[0].kind null → "text"',
    ])
    expect(between(of(type, body(part('null'))), of(type, body(part(''))))).not.toEqual([])
  })

  test('transfer encodings are undone', () => {
    const part = (encoding: string, value: string) =>
      `Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${value}`
    const plain = of(type, body(field('a', 'é=1')))
    expect(between(plain, of(type, body(part('base64', 'w6k9\r\nMQ=='))))).toEqual([])
    expect(between(plain, of(type, body(part('quoted-printable', '=C3=A9=\r\n=3D1'))))).toEqual([])
    expect(between(plain, of(type, body(part('base64', 'w6k9Mg=='))))).toEqual([
      'value_changed $[0].body.lines[0] "é=1" → "é=2"',
    ])
  })

  test('other fields of a form are notes; of another multipart they count', () => {
    const part = (value: string) => `Content-Type: text/plain\r\nContent-Range: bytes ${value}\r\n\r\nx`
    const ranges = (value: string) => of('multipart/byteranges; boundary=b', body(part(value)))
    expect(between(ranges('0-0/5'), ranges('1-1/5'))).toEqual([
      `value_changed $[0].headers['content-range'][0] "bytes 0-0/5" → "bytes 1-1/5"`,
    ])
    expect(notesOf(decode(type, body(`X-A: 1\r\n${field('a', '1')}`)))).toContain('builtin:part-header part 0: x-a: 1')
  })

  test('a disposition other than form-data counts', () => {
    const mixed = (kind: string) =>
      of('multipart/mixed; boundary=b', body(`Content-Disposition: ${kind}; filename="x"\r\n\r\n1`))
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
    const outer = (boundary: string, value: string) => of('multipart/mixed; boundary=b', body(inner(boundary, value)))
    expect(between(outer('c', '1'), outer('d', '1'))).toEqual([])
    expect(between(outer('c', '1'), outer('d', '2'))).toEqual(['value_changed $[0].body[0].body.lines[0] "1" → "2"'])
  })

  test('preamble, padding and epilogue are no part of it', () => {
    const plain = of(type, body(field('a', '1')))
    const padded = of(type, `hello\r\n--b \t\r\n${field('a', '1')}\r\n--b-- \r\nbye`)
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
    expect(between(of(media, octets), of(media, octets))).toEqual([])
    expect(between(of(type, body(field('a', '1'))), of(media, octets))).toEqual(['content_kind $ "multipart" → "text"'])
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

describe('rows D, on every kind', () => {
  const multipart = 'multipart/form-data; boundary=b'
  const part = (value: string) =>
    `--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream\r\n\r\n${value}\r\n--b--`
  test.each([
    ['application/x-ndjson', '{"ok":true}\n'],
    ['text/event-stream', 'data: {"ok":true}\n\n'],
    ['application/xml', '<ok/>'],
    [multipart, part('x')],
    ['application/json', '{"ok":true}'],
  ])('D12: an error page under %s is another kind of document', (type, body) => {
    const { kind } = decode(type, body)
    expect(between(of(type, body), of(type, '<html>Error'))).toEqual([`content_kind $ "${kind}" → "text"`])
  })

  test.each([
    ['application/x-ndjson', (octet: string) => `"${'a'.repeat(1_048_574)}${octet}"\n`],
    ['text/event-stream', (octet: string) => `data: ${'a'.repeat(1_048_568)}${octet}\n\n`],
    ['application/xml', (octet: string) => `<a>${'a'.repeat(1_048_569)}${octet}</a>`],
    ['text/csv', (octet: string) => `${'a'.repeat(1_048_576)}${octet}`],
    [multipart, (octet: string) => part(`${'a'.repeat(1_048_576)}${octet}`)],
  ])('D13: one octet in a megabyte of %s differs', (type, body) => {
    expect(between(of(type, body('x')), of(type, body('y')))).toHaveLength(1)
    expect(between(of(type, body('x')), of(type, body('x')))).toEqual([])
  })

  test('D14: an empty body is not one that is there', () => {
    for (const [type, body] of [
      ['application/x-ndjson', '\n'],
      ['text/event-stream', ': ping\n\n'],
      [multipart, '--b--'],
    ] as const) {
      const { kind } = decode(type, body)
      expect(between(of(type, body), of(type, ''))).toEqual([`content_kind $ "${kind}" → "empty"`])
    }
  })
})
