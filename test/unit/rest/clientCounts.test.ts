import { expect, test } from 'vitest'
import { clientAddress } from '../../../api/http/limits/clientAddress.ts'
import { createClientCounts } from '../../../api/http/limits/clientCounts.ts'

const address = (text: string) => clientAddress(text, undefined, () => false)
const isTaken = (taken: unknown) => typeof taken === 'function'

test('networks of one IPv6 /48 are one client, others aren’t', () => {
  const counts = createClientCounts({ perClient: 3, total: 100 })
  for (let network = 1; network <= 3; network++)
    expect(isTaken(counts.take(address(`2001:db8:7:${network}::1`)))).toBe(true)
  expect(counts.take(address('2001:db8:7:ffff::9'))).toBe('client')
  expect(isTaken(counts.take(address('2001:db8:8:1::1')))).toBe(true)
})

test('those who hold much, however many they are, leave half of all places to those who hold little', () => {
  const counts = createClientCounts({ perClient: 10, total: 20 })
  const greedy = Array.from({ length: 4 }, (_, i) => `192.0.2.${i}`)
  const places = greedy.flatMap((client) => Array.from({ length: 10 }, () => counts.take(client)))
  // Ten, and of the two clients that came too late what little is anybody's.
  expect(places.filter(isTaken)).toHaveLength(10 + 3 * 2)
  const [first, second] = [counts.take('198.51.100.1'), counts.take('198.51.100.1')]
  expect([first, second].every(isTaken)).toBe(true)
  expect(counts.take('198.51.100.1')).toBe('server')
  for (const give of places) if (typeof give === 'function') give()
  expect(counts.size()).toBe(2)
  for (let more = 2; more < 10; more++) expect(isTaken(counts.take('198.51.100.1'))).toBe(true)
  expect(counts.take('198.51.100.1')).toBe('client')
})
