import type { InputStep, Observation } from '../src/model.ts'
import { jsonOf, responseStep } from './observations.ts'

/** A step that answers with JSON text. */
export function answered(text: string, status = 200) {
  return responseStep({ status, headers: [['Content-Type', 'application/json']], body: { json: jsonOf(text) } })
}

export function get(path: string, more: Partial<InputStep> = {}): InputStep {
  return { request: { method: 'GET', path, headers: [] }, ...more }
}

export function post(path: string, body: string, more: Partial<InputStep> = {}): InputStep {
  return { request: { method: 'POST', path, headers: [], body: { json: jsonOf(body) } }, ...more }
}

/** Two posts are created, the first is read by its id and its list by its own. */
export function boundSequence(): { readonly golden: Observation; readonly steps: readonly InputStep[] } {
  return {
    steps: [
      post('/posts', '{"title":"a"}', { bind: { first: '$.id' } }),
      post('/posts', '{"title":"b"}', { bind: { second: '$.id' } }),
      get('/posts/{{first}}'),
      get('/posts?author=ana'),
    ],
    golden: [
      answered('{"id":"p-1","title":"a"}', 201),
      answered('{"id":"p-2","title":"b"}', 201),
      answered('{"id":"p-1","title":"a","count":3}'),
      answered('[{"id":"p-1","title":"a"},{"id":"p-2","title":"b"}]'),
    ],
  }
}
