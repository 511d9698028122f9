import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDrain } from '../../../api/http/createDrain.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A listener that may be drained within a second, and what it answers to a path. */
function rig() {
  const { answer, drain } = createDrain((_request, response) => response.end('answered'), 1_000)
  const ask = (url: string) => {
    const headers: Record<string, unknown> = {}
    const said = { status: 200, headers, body: '' }
    const response = {
      setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }),
      writeHead: (status: number, more: object) => {
        said.status = status
        Object.assign(headers, more)
      },
      end: (body: string) => {
        said.body = body
      },
    }
    answer({ url } as IncomingMessage, response as unknown as ServerResponse)
    return said
  }
  return { ask, drain }
}

test('a server that drains tells proxies so at once, answers the rest, and closes each connection', async () => {
  const { ask, drain } = rig()
  const usual = { status: 200, headers: {}, body: 'answered' }
  expect(ask('/ready')).toEqual(usual)
  let isOver = false
  const drained = drain().then(() => {
    isOver = true
  })
  for (const path of ['/ready', '/v1/ready', '/ready?from=proxy']) {
    const { status, headers, body } = ask(path)
    expect([status, headers.connection, JSON.parse(body).code]).toEqual([503, 'close', 'STOPPING'])
    expect(headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' })
  }
  for (const path of ['/intents', '/readyish', '/v1'])
    expect(ask(path)).toEqual({ ...usual, headers: { connection: 'close' } })
  await vi.advanceTimersByTimeAsync(999)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await drained
})
