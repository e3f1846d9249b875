import { expect, test } from 'vitest'
import { textOf } from './lab-inside.ts'

/** One frame as the engine sends it: the stream, three zeros, the length, the text. */
function frame(stream: 1 | 2, text: string): Buffer {
  const body = Buffer.from(text)
  const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

test('reads both streams in the order they came, and characters that a frame splits', () => {
  const [euro, rest] = [Buffer.from('€').subarray(0, 1), Buffer.from('€').subarray(1)]
  const split = [frame(1, 'cost 5 '), frame(1, ''), frame(2, 'warning\n')]
  const halves = [euro, rest].map(part => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, part.length]), part]))
  expect(textOf(Buffer.concat([...split, ...halves]))).toBe('cost 5 warning\n€')
})

test('a frame that is cut off is read as far as it goes', () => {
  expect(textOf(frame(1, 'whole text').subarray(0, 13))).toBe('whole')
  expect(textOf(Buffer.from([1, 0, 0]))).toBe('')
})
