import { expect, test } from 'vitest'
import { findClientAddress } from '../../../api/http/limits/clientAddress.ts'
import { createOpenStreamLimiter } from '../../../api/http/limits/openStreamLimiter.ts'

const address = (text: string) => findClientAddress(text, undefined, () => false)
/** Places that nobody watches. */
function countsOf(limits: { perClient: number; total: number }) {
  const { take, size } = createOpenStreamLimiter(limits)
  return { take: (client: string) => take(client, () => {}), size }
}
const isTaken = (taken: unknown) => typeof taken === 'function'

test('the networks of an IPv6 /48 are one client, others aren’t', () => {
  const { take } = countsOf({ perClient: 3, total: 100 })
  for (let network = 1; network <= 3; network++)
    expect(isTaken(take(address(`2001:db8:7:${network}::1`)))).toBe(true)
  expect(take(address('2001:db8:7:ffff::9'))).toBe('client')
  expect(isTaken(take(address('2001:db8:8:1::1')))).toBe(true)
})

test('heavy clients leave half of all slots to light ones, however many they are', () => {
  const { take, size } = countsOf({ perClient: 10, total: 20 })
  const greedy = Array.from({ length: 4 }, (_, i) => `192.0.2.${i}`)
  const places = greedy.flatMap((client) => Array.from({ length: 10 }, () => take(client)))
  // Ten, and of the two clients that came too late what little is anybody's.
  expect(places.filter(isTaken)).toHaveLength(10 + 3 * 2)
  const [first, second] = [take('198.51.100.1'), take('198.51.100.1')]
  expect([first, second].every(isTaken)).toBe(true)
  expect(take('198.51.100.1')).toBe('server')
  for (const give of places) if (typeof give === 'function') give()
  expect(size()).toBe(2)
  for (let more = 2; more < 10; more++) expect(isTaken(take('198.51.100.1'))).toBe(true)
  expect(take('198.51.100.1')).toBe('client')
})

test('once all slots are taken, the client with the most loses its newest to one with fewer', () => {
  const counts = createOpenStreamLimiter({ perClient: 10, total: 20 })
  const lost: string[] = []
  const take = (client: string) => counts.take(client, () => lost.push(client))
  const flood = Array.from({ length: 10 }, (_, i) => `192.0.2.${i}`)
  for (const client of flood) for (let place = 0; place < 2; place++) take(client)
  expect(counts.size()).toBe(20)
  const leave = take('198.51.100.1')
  expect(isTaken(leave)).toBe(true)
  expect(lost).toHaveLength(1)
  expect(counts.size()).toBe(20)
  // As many as the others have, and no more; a place that was lost is given back no second time.
  expect(take('198.51.100.1')).toBe('server')
  if (typeof leave === 'function') for (let twice = 0; twice < 2; twice++) leave()
  expect(counts.size()).toBe(19)
})
