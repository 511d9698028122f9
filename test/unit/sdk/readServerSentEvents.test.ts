import { expect, test } from 'vitest'
import {
  readServerSentEvents,
  type ServerSentEvent,
} from '../../../sdk/events/readServerSentEvents.ts'

const EXPECTED = [
  { id: '1', type: 'message', data: 'first\nline' },
  { id: '2', type: 'intent.settled', data: 'second' },
]

const LINES = [
  ...['id: 1', 'data: first', 'data: line', ''],
  ...[': heartbeat', '', 'id:2', 'event: intent.settled', 'data: second', '', ''],
]

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('messages with lines that end in %s arrive whole, wherever the stream is cut', async (_, end) => {
  const text = LINES.join(end)
  for (let size = 1; size <= text.length; size++) {
    expect(await read(text, size), `chunks of ${size}`).toEqual(EXPECTED)
  }
})

test('a message longer than a million characters is refused', async () => {
  await expect(read(`data: ${'x'.repeat(1_000_001)}`, 65_536)).rejects.toThrow(RangeError)
})

async function read(text: string, size: number) {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      for (let at = 0; at < bytes.length; at += size) stream.enqueue(bytes.subarray(at, at + size))
      stream.close()
    },
  })
  const messages: ServerSentEvent[] = []
  for await (const message of readServerSentEvents(body)) messages.push(message)
  return messages
}

test('a long message in tiny pieces takes no time that grows with its square', async () => {
  const piece = new TextEncoder().encode('xx')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('data: '))
      for (let sent = 0; sent < 900_000; sent += 2) controller.enqueue(piece)
      controller.enqueue(new TextEncoder().encode('\n\n'))
      controller.close()
    },
  })
  const began = performance.now()
  const lengths: number[] = []
  for await (const { data } of readServerSentEvents(body)) lengths.push(data.length)
  expect(lengths).toEqual([900_000])
  expect(performance.now() - began).toBeLessThan(20_000)
})
