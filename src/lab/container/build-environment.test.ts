import { expect, test } from 'vitest'
import { cleanEnvironment } from './base-recipe.ts'

test('the build of an image sees the way to programs and to the network, and no secret', () => {
  const env = {
    PATH: '/usr/bin',
    HOME: '/home/ann',
    DB_PASSWORD: 'x',
    NPM_TOKEN: 'x',
    https_proxy: 'http://127.0.0.1:9',
  }
  const seen = cleanEnvironment(env)
  expect(seen).toMatchObject({ PATH: '/usr/bin', HOME: '/nonexistent', https_proxy: 'http://127.0.0.1:9' })
  expect(Object.keys(seen).sort()).toEqual([
    'DEBIAN_FRONTEND',
    'HOME',
    'LANG',
    'LC_ALL',
    'PATH',
    'SOURCE_DATE_EPOCH',
    'https_proxy',
  ])
})
