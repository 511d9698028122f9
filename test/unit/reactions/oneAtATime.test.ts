import { expect, test } from 'vitest'
import { oneAtATime } from '../../../services/relayer/reconciler/startQueue.ts'

const key = (id: bigint) => ({ sourceChainId: 1, intentId: id })

test('an intent is worked on once at a time, and once more for the calls that came meanwhile', async () => {
  const begun: bigint[] = []
  const gates: (() => void)[] = []
  const work = oneAtATime(({ intentId }) => {
    begun.push(intentId)
    return new Promise((resolve) => gates.push(resolve))
  })
  const first = work(key(1n))
  await Promise.all([work(key(1n)), work(key(1n))])
  const other = work(key(2n))
  expect(begun).toEqual([1n, 2n])
  for (const open of gates.splice(0)) open()
  await other
  expect(begun).toEqual([1n, 2n, 1n])
  for (const open of gates.splice(0)) open()
  await first
  expect(begun).toHaveLength(3)
})

test('work that fails rejects the call that began it, and can begin again', async () => {
  let calls = 0
  const work = oneAtATime(async () => {
    calls += 1
    throw new Error('away')
  })
  await expect(work(key(1n))).rejects.toThrow('away')
  await expect(work(key(1n))).rejects.toThrow('away')
  expect(calls).toBe(2)
})
