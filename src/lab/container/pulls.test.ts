import { expect, test } from 'vitest'
import { referenceIn, repositoryOf } from './base-wanted.ts'
import { digestOf } from './pin.ts'
import { isMissing, remedyOf } from './pulls.ts'

const AT = { reference: 'reg.example:5000/shop/app:1', platform: 'linux/amd64' }

/** Words as engines say them, and how the remedy begins. */
test.each([
  [
    'Docker Image Format v1, and Docker Image manifest version 2, schema 1 support is disabled by default',
    'reg.example:5000/shop/app:1 is stored in the old format (manifest v1)',
  ],
  [
    'media type "application/vnd.docker.distribution.manifest.v1+prettyjws" is no longer supported since containerd v2.1',
    'reg.example:5000/shop/app:1 is stored in the old format (manifest v1)',
  ],
  [
    'no matching manifest for linux/amd64 in the manifest list entries',
    'reg.example:5000/shop/app:1 is not made for linux/amd64',
  ],
  [
    'image with reference x was found but does not match the specified platform: wanted linux/amd64, actual: linux/arm64',
    'reg.example:5000/shop/app:1 is not made for linux/amd64',
  ],
  [
    'Get "https://reg.example:5000/v2/": x509: certificate signed by unknown authority',
    'let the engine trust the certificate of reg.example:5000',
  ],
  [
    'Get "https://reg.example:5000/v2/": http: server gave HTTP response to HTTPS client',
    'reg.example:5000 speaks plain HTTP',
  ],
  ['Get "https://reg.example:5000/v2/": net/http: TLS handshake timeout', 'reg.example:5000 does not answer'],
  [
    'Get "https://reg.example:5000/v2/": dial tcp: lookup reg.example on 10.0.0.2:53: no such host',
    'reg.example:5000 has no address here',
  ],
  [
    'Get "https://reg.example:5000/v2/": dial tcp 127.0.0.1:5000: connect: connection refused',
    'nothing listens at reg.example:5000',
  ],
  ["pull access denied for shop/app, repository does not exist or may require 'docker login'", 'log in to it'],
  ['Head "http://reg.example:5000/v2/shop/app/manifests/1": no basic auth credentials', 'log in to it'],
  ['toomanyrequests: You have reached your pull rate limit', 'reg.example:5000 refuses more pulls'],
  [
    `filesystem layer verification failed for digest sha256:${'a'.repeat(64)}`,
    'a layer at reg.example:5000 is damaged',
  ],
  ['unexpected EOF', 'a layer at reg.example:5000 is damaged'],
  [
    `manifest verification failed for digest sha256:${'a'.repeat(64)}`,
    'reg.example:5000 serves other bytes than the digest names',
  ],
  [
    'manifest for reg.example:5000/shop/app:1 not found: manifest unknown: manifest unknown',
    'reg.example:5000 does not have it',
  ],
  ['net/http: request canceled (Client.Timeout exceeded while awaiting headers)', 'reg.example:5000 does not answer'],
  ['the engine said nothing for 120000 ms', 'reg.example:5000 does not answer'],
  ['write /var/lib/docker/tmp/x: no space left on device', 'the disk of the engine is full'],
  ['something nobody foresaw', 'read the words of the engine'],
])('knows what to do about: %s', (words, remedy) => {
  expect(remedyOf(words, AT).slice(0, remedy.length)).toBe(remedy)
})

test('asks on only where a registry has not what was asked for', () => {
  expect(isMissing('manifest unknown: manifest unknown')).toBe(true)
  expect(isMissing('connect: connection refused')).toBe(false)
})

test.each([
  ['docker.io/library/mariadb:10.5', null, 'reg.example:5000/library/mariadb:10.5'],
  ['docker.io/library/mariadb:10.5', 'sha256:ab', 'reg.example:5000/library/mariadb@sha256:ab'],
  ['127.0.0.1:5000/shop/app:1', 'sha256:ab', 'reg.example:5000/shop/app@sha256:ab'],
])('finds %s with digest %s in another registry under its own path', (tag, digest, expected) => {
  expect(referenceIn('reg.example:5000', tag, digest)).toBe(expected)
})

test('takes no port for a tag', () => {
  expect(repositoryOf('127.0.0.1:5000/shop/app')).toBe('127.0.0.1:5000/shop/app')
  expect(repositoryOf('127.0.0.1:5000/shop/app:1')).toBe('127.0.0.1:5000/shop/app')
})

test.each([
  [
    'the name that the engine gives the public registry',
    ['mariadb@sha256:aa', 'reg.example/library/mariadb@sha256:bb'],
    'sha256:aa',
  ],
  ['its own registry', ['other/x@sha256:cc', 'docker.io/library/mariadb@sha256:aa'], 'sha256:aa'],
  ['a mirror, where its own did not serve it', ['reg.example/library/mariadb@sha256:bb'], 'sha256:bb'],
  ['nobody', ['reg.example/library/postgres@sha256:bb'], null],
])('takes the digest from %s', (_, digests, expected) => {
  expect(digestOf(digests, 'docker.io/library/mariadb:10.5')).toBe(expected)
})
