import { cloudevents } from './cloudevents.ts'
import { httpCookies } from './http-cookies.ts'
import { httpStructuredFields } from './http-structured-fields.ts'
import { jcs } from './jcs.ts'
import { jsonPatch } from './json-patch.ts'
import { jsonTestSuite } from './json-test-suite.ts'
import { jsonpathCts } from './jsonpath-cts.ts'
import { multipart } from './multipart.ts'
import { pactSpec } from './pact-spec.ts'
import { pairs } from './pairs.ts'
import type { Suite } from './result.ts'
import { yamlTestSuite } from './yaml-test-suite.ts'

/** In the order in which they run and are pinned. */
export const SUITES: readonly Suite[] = [
  jsonpathCts,
  jsonTestSuite,
  jcs,
  jsonPatch,
  httpCookies,
  httpStructuredFields,
  multipart,
  cloudevents,
  yamlTestSuite,
  pactSpec,
  pairs,
]
