import { expect, test } from 'vitest'
import { lineDemuxer } from './logs.ts'

function frame(type: number, text: string | Buffer): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.alloc(8)
  header.writeUInt8(type, 0)
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

function linesOf(chunks: readonly Buffer[]): string[] {
  const lines: string[] = []
  const demuxer = lineDemuxer(line => lines.push(line))
  for (const chunk of chunks) demuxer.take(chunk)
  demuxer.end()
  return lines
}

test('gives the lines of both streams as each is complete', () => {
  const sent = [frame(1, 'one\ntw'), frame(2, 'trouble\n'), frame(1, 'o\nrest')]
  expect(linesOf(sent)).toEqual(['one', 'trouble', 'two', 'rest'])
})

test('gives the same lines however the octets are cut', () => {
  const whole = Buffer.concat([frame(1, 'äöü\r\n'), frame(2, '…\n')])
  for (let size = 1; size < whole.length; size++) {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, (at + 1) * size),
    )
    expect(linesOf(chunks)).toEqual(['äöü', '…'])
  }
})

test('keeps a letter whole that two frames share', () => {
  const letter = Buffer.from('ä')
  expect(linesOf([frame(1, letter.subarray(0, 1)), frame(1, letter.subarray(1)), frame(1, '\n')])).toEqual(['ä'])
})

test('cuts a line at 2000 characters, and does not hold one without an end', () => {
  expect(linesOf([frame(1, `${'a'.repeat(2001)}\n`)])).toEqual([`${'a'.repeat(2000)}…`])
  expect(linesOf([frame(1, 'b'.repeat(4001)), frame(1, 'c\n')])).toEqual([`${'b'.repeat(2000)}…`, 'c'])
})
