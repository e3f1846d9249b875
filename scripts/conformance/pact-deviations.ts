import type { Deviation } from './deviations.ts'

const ALL = ['1', '1.1', '2', '3', '4']
const FROM_1_1 = ['1.1', '2', '3', '4']
const FROM_2 = ['2', '3', '4']
const FROM_3 = ['3', '4']

function inVersions(versions: readonly string[], name: string): string[] {
  return versions.map(version => `version-${version}/${name}`)
}

/** Cases of the Pact specification that we answer otherwise, by reason. */
export const PACT_DEVIATIONS: readonly Deviation[] = [
  {
    id: 'pact-extra-members',
    table: 'pact-spec',
    cases: [
      ...inVersions(ALL, 'response/body/deeply nested objects'),
      ...inVersions(ALL, 'response/body/unexpected key with not null value'),
      ...inVersions(ALL, 'response/body/unexpected key with null value'),
      ...inVersions(FROM_2, 'response/body/additional property with type matcher'),
      ...inVersions(FROM_3, 'message/body/unexpected key with not null value'),
      ...inVersions(FROM_2, 'response/body/deeply nested objects xml'),
      ...inVersions(FROM_2, 'response/body/unexpected key with empty value xml'),
      ...inVersions(FROM_2, 'response/body/unexpected key with non-empty value xml'),
    ],
  },
  {
    id: 'pact-body-not-mentioned',
    table: 'pact-spec',
    cases: [
      ...inVersions(FROM_1_1, 'request/body/missing body no content type'),
      ...inVersions(FROM_1_1, 'response/body/missing body'),
      ...inVersions(FROM_2, 'request/body/no body no content type xml'),
      ...inVersions(FROM_2, 'request/body/no body xml'),
    ],
  },
  {
    id: 'pact-header-grammar',
    table: 'pact-spec',
    cases: [
      ...inVersions(ALL, 'request/headers/whitespace after comma different'),
      ...inVersions(FROM_3, 'request/headers/matches content type with charset with different case'),
      ...inVersions(FROM_3, 'response/headers/matches content type with charset with different case'),
    ],
  },
  {
    id: 'charset-is-a-note',
    table: 'pact-spec',
    cases: inVersions(FROM_3, 'request/headers/content type parameters do not match'),
  },
]
