import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { bodied } from '../../test/bodies.ts'
import { rulesOf } from '../../test/observations.ts'
import type { Observation } from '../model.ts'
import { coverNoise, noiseOf } from './noise.ts'

const form = 'multipart/form-data; boundary=b'
const part = (octets: readonly number[]) =>
  Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: image/png\r\n\r\n'),
    Buffer.from(octets),
    Buffer.from('\r\n--b--'),
  ])
const value = (text: string) =>
  `--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/json\r\n\r\n{"id":"${text}"}\r\n--b--`

test.each<[string, Observation, Observation, string, string]>([
  [
    'a line of JSON',
    bodied('application/x-ndjson', '{"id":"a1","v":1}\n'),
    bodied('application/x-ndjson', '{"id":"b2","v":1}\n'),
    '$[0].id',
    'structural $[*].id',
  ],
  [
    'an event',
    bodied('text/event-stream', 'id: a1\ndata: x\n\n'),
    bodied('text/event-stream', 'id: b2\ndata: x\n\n'),
    '$[0].id',
    'structural $[*].id',
  ],
  [
    'an attribute of XML',
    bodied('application/xml', '<a id="a1"><b/></a>'),
    bodied('application/xml', '<a id="b2"><b/></a>'),
    '$.attributes.id',
    'structural $.attributes.id',
  ],
  [
    'a text of XML',
    bodied('application/xml', '<a><b>a1</b></a>'),
    bodied('application/xml', '<a><b>b2</b></a>'),
    '$.children[0].children[0]',
    'structural $.children[*].children[*]',
  ],
  ['a part', bodied(form, value('a1')), bodied(form, value('b2')), '$[0].body.id', 'structural $[*].body.id'],
  [
    'a binary part',
    bodied(form, part([1, 2, 3])),
    bodied(form, part([1, 2, 4])),
    '$[0].body.sha256',
    'structural $[*].body.sha256',
  ],
])('noise in %s is told, proposed a rule, and covered by it', (_, first, second, path, rule) => {
  const noise = noiseOf(first, second)
  expect(noise.map(one => one.path)).toEqual([path])
  const open = coverNoise(noise, first, rulesOf('{}', []))
  expect(open.uncovered.map(one => one.path)).toEqual([path])
  expect(open.proposals.map(one => one.rule)).toEqual([rule])
  const [key = '', selector = ''] = rule.split(' ')
  expect(coverNoise(noise, first, rulesOf(`${key}: ['${selector}']`, [])).uncovered).toEqual([])
})
