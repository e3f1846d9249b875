import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { between, bodied, decode, NONE, notesOf, shown } from '../../test/bodies.ts'
import { compare } from './diff.ts'
import { textOf } from './json.ts'
import { XML_DEPTH_MAX } from './xml.ts'

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
    expect(between(bodied(type, golden), bodied(type, actual))).toEqual([])
  })

  test('what was let pass is noted', () => {
    const { notes } = compare(
      bodied(type, '<?xml version="1.0"?><a><b/></a>'),
      bodied(type, '<a> <b/><!----></a>'),
      NONE,
    )
    expect(notes.map(({ id, detail }) => `${id} ${detail}`)).toEqual([
      'builtin:xml-declaration version 1.0/not so',
      'builtin:xml-comments not so/<!---->',
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
    const found = between(bodied(type, golden), bodied(type, actual))
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
