import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRequestGate, DEFAULT_LIMITS } from '../../../api/http/limits/requestGate.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A minute in which each of these writes 50 times a second, and a stranger once. @returns what each got */
function aMinuteOf(flooders: readonly string[], stranger = '198.51.100.1') {
  const gate = createRequestGate(DEFAULT_LIMITS)
  let [own, others] = [0, 0]
  for (let second = 0; second < 60; second++) {
    for (let part = 0; part < 10; part++) {
      for (const one of flooders)
        for (let at = 0; at < 5; at++) if (gate.take('writes', one).allowed) others += 1
      // Right after them, when they have left the least.
      if (part === 0 && gate.take('writes', stranger).allowed) own += 1
      vi.advanceTimersByTime(100)
    }
  }
  return { own, others }
}

test('eight flooding addresses don’t affect a light client’s writes', () => {
  const flooders = Array.from({ length: 8 }, (_, at) => `203.0.113.${at + 1}`)
  const { own, others } = aMinuteOf(flooders)
  expect(own).toBe(60)
  // They have what there is room for all the same.
  expect(others).toBeGreaterThan(60 * 90)
})

test('the networks of one IPv6 subscriber count as one client', () => {
  const flooders = Array.from({ length: 64 }, (_, at) => `2001:db8:1:${(at + 1).toString(16)}::/64`)
  const { own, others } = aMinuteOf(flooders)
  const { perSecond, burst } = DEFAULT_LIMITS.clientWrites as { perSecond: number; burst: number }
  expect(own).toBe(60)
  expect(others).toBeLessThanOrEqual(burst + perSecond * 60)
})

test('reads use up no writes, and one request is charged once', () => {
  const gate = createRequestGate({
    reads: { perSecond: 1, burst: 1 },
    writes: { perSecond: 1, burst: 1 },
  })
  const [request, other] = [{}, {}] as IncomingMessage[]
  for (let at = 0; at < 3; at++) expect(gate.take('reads', 'a', request).allowed).toBe(true)
  expect(gate.take('reads', 'a', other).allowed).toBe(false)
  expect(gate.take('reads', 'a').allowed).toBe(false)
  expect(gate.take('reads', 'b').allowed).toBe(true)
  expect(gate.take('writes', 'a').allowed).toBe(true)
  expect(gate.take('writes', 'b').allowed).toBe(false)
})

test('a write’s headers show the client’s own limit, and that of all clients', () => {
  const gate = createRequestGate(DEFAULT_LIMITS)
  const [client, other] = ['203.0.113.1', '203.0.113.2']
  for (let at = 0; at < 9; at++) gate.take('writes', other)
  expect(gate.take('writes', client)).toMatchObject({
    allowed: true,
    policy: '"client-writes";q=50;w=3, "writes";q=200;w=2',
    limit: expect.stringMatching(/^"client-writes";r=49;t=1, "writes";r=190;t=1$/),
  })
  for (let at = 0; at < 49; at++) gate.take('writes', client)
  // A refusal names the exhausted limit alone.
  expect(gate.take('writes', client)).toMatchObject({
    allowed: false,
    policy: '"client-writes";q=50;w=3',
  })
})
