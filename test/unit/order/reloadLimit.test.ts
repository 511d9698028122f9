import { expect, test } from 'vitest'
import { createReloadLimit } from '../../../services/orders/follow/reloadLimit.ts'

const LEAST = 600_000
const DAY = 86_400_000

/** Checks every ten seconds, so many orders of a hundred each time. */
function startChecks() {
  let now = 0
  const limit = createReloadLimit(LEAST, () => now)
  return (isContradicted: boolean, forMs: number) => {
    const reloads: number[] = []
    const end = now + forMs
    for (; now < end; now += 10_000) if (limit.decide(isContradicted, 25, 100)) reloads.push(now)
    return reloads
  }
}

test('an order that no reading mends has the history read again less and less often, once a day in the end', () => {
  const reloads = startChecks()(true, 20 * DAY)
  const waits = reloads.map((at, n) => at - (reloads[n - 1] ?? 0))
  expect(waits.slice(0, 5)).toEqual([0, 1, 2, 4, 8].map((times) => times * LEAST))
  expect(waits.slice(-2)).toEqual([DAY, DAY])
})

test('once all orders are as the chain has them, the next contradiction is looked into as soon as the first', () => {
  const check = startChecks()
  expect(check(true, 3 * LEAST + 10_000)).toHaveLength(3)
  // Not yet after most of them, of which none is the one that is contradicted.
  check(false, 30_000)
  expect(check(true, 3 * LEAST)).toHaveLength(0)
  check(false, 4 * LEAST)
  expect(check(true, 3 * LEAST + 10_000)).toHaveLength(3)
})
