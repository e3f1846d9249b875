import { expect, test } from 'vitest'
import { labels, marksOf } from './labels.ts'
import type { OwnedObject } from './objects.ts'
import { thisOwner } from './session.ts'
import { type Standing, standingOf } from './sweep.ts'

const HOST = thisOwner().host

function object(o: { readonly keep: boolean; readonly host: string; readonly key: string }): OwnedObject {
  const written = {
    ...labels({ session: 's', lab: 'shop', key: o.key, role: 'service', service: 'app', keep: o.keep }),
    'vitest-parity.owner-host': o.host,
  }
  const marks = marksOf(written)
  if (marks === null) throw new Error('not ours')
  return { kind: 'container', id: 'c1', name: 'shop-app', state: 'running', port: null, marks, labels: written }
}

test.each<[string, Parameters<typeof object>[0], boolean, Standing]>([
  ['whose process runs', { keep: false, host: HOST, key: '' }, true, 'in use'],
  ['whose process is gone', { keep: false, host: HOST, key: '' }, false, 'left behind'],
  [
    'of another machine, where no process of that number runs here',
    { keep: false, host: 'elsewhere', key: '' },
    false,
    'of another machine',
  ],
  [
    'of another machine, where a process of that number runs here',
    { keep: false, host: 'elsewhere', key: '' },
    true,
    'of another machine',
  ],
  ['of a kept lab whose process is gone', { keep: true, host: HOST, key: 'k' }, false, 'kept'],
  ['of a kept lab whose process runs', { keep: true, host: HOST, key: 'k' }, true, 'kept'],
  ['of a lab to be kept that never booted whole', { keep: true, host: HOST, key: 'half' }, false, 'left behind'],
  ['of a lab to be kept that boots', { keep: true, host: HOST, key: 'half' }, true, 'in use'],
])('an object %s', (_, o, lives, expected) => {
  expect(standingOf(object(o), { kept: new Set(['k']), host: HOST, lives: () => lives })).toBe(expected)
})
