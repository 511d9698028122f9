import { expect, test } from 'vitest'
import { createLargeOperationTurns } from '../../../api/graphql/limits/largeOperationTurns.ts'

const CLIENT = '198.51.100.1'

/** Work that ends when it is told to. */
function pendingWork() {
  const ends: (() => void)[] = []
  const work = () => new Promise<string>((resolve) => ends.push(() => resolve('done')))
  return { work, begun: () => ends.length, end: (at: number) => ends[at]?.() }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

test('a client’s large operations run one by one, or a few together', async () => {
  const inTurn = createLargeOperationTurns()
  const { work, begun, end } = pendingWork()
  const run = (entries: number) => inTurn({ client: CLIENT, entries, milliseconds: 1_000 }, work)
  const largest = [run(50_000), run(6_000), run(4_000), run(4_000)]
  await turn()
  expect(begun()).toBe(1)
  end(0)
  await turn()
  expect(begun()).toBe(3)
  end(1)
  await turn()
  expect(begun()).toBe(4)
  for (const at of [2, 3]) end(at)
  expect(await Promise.all(largest)).toEqual(Array(4).fill('done'))
})

test('they delay neither its small operations nor those of others', async () => {
  const inTurn = createLargeOperationTurns()
  const { work, begun } = pendingWork()
  const large = { entries: 50_000, milliseconds: 1_000 }
  for (let at = 0; at < 5; at++) void inTurn({ client: CLIENT, ...large }, work)
  void inTurn({ client: CLIENT, entries: 999, milliseconds: 1_000 }, work)
  void inTurn({ client: '198.51.100.2', ...large }, work)
  await turn()
  expect(begun()).toBe(3)
})

test('an operation that has waited too long isn’t begun, and too many are refused', async () => {
  const inTurn = createLargeOperationTurns()
  const { work, begun, end } = pendingWork()
  const run = (milliseconds: number) =>
    inTurn({ client: CLIENT, entries: 50_000, milliseconds }, work)
  const first = run(60_000)
  const waiting = Promise.allSettled(Array.from({ length: 100 }, () => run(0)))
  await expect(run(0)).rejects.toMatchObject({ extensions: { code: 'RATE_LIMITED' } })
  await turn()
  end(0)
  expect(await first).toBe('done')
  for (const one of await waiting)
    expect(one).toMatchObject({ reason: { extensions: { code: 'QUERY_TIMEOUT' } } })
  expect(begun()).toBe(1)
})
