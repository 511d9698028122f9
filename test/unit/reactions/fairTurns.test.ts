import { expect, test } from 'vitest'
import { createFairTurns, type FairTurns } from '../../../services/relayer/reconciler/fairTurns.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('payers take turns, so that one who comes last waits for nobody’s hundred', async () => {
  const turns = createFairTurns(4)
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const many = Array.from({ length: 100 }, (_, at) => turns('many', work(`many ${at}`)))
  await Promise.all([...many, turns('stranger', work('stranger'))])
  expect(order).toHaveLength(101)
  expect(order.indexOf('stranger')).toBeLessThan(10)
  expect(order.filter((name) => name !== 'stranger')).toEqual(
    Array.from({ length: 100 }, (_, at) => `many ${at}`),
  )
})

test('heavy tasks of several payers don’t delay a light one', async () => {
  const turns = createFairTurns(48)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const all: Promise<void>[] = []
  for (let at = 0; at < 20; at++)
    for (const payer of ['a', 'b', 'c']) all.push(turns(payer, work(payer), 13))
  await settled()
  expect(begun).toEqual(['a', 'b', 'c'])
  // A light one fits beside them, and overtakes those that wait.
  all.push(turns('light', work('light')))
  await settled()
  expect(begun.slice(3)).toEqual(['light'])
  // Once there is no room, it is the next all the same.
  for (let at = 0; at < 8; at++) all.push(turns('some', work('some')))
  await settled()
  all.push(turns('late', work('late')))
  ends[0]?.()
  await settled()
  expect(begun.at(-1)).toBe('late')
  while (begun.length > 0 && ends.length > 0) {
    for (const end of ends.splice(0)) end()
    await settled()
  }
  await Promise.all(all)
  expect(begun).toHaveLength(70)
  // One that is heavier than the limit runs too, alone.
  await turns('a', async () => {}, 1_000)
})

test('a turn that fails passes the next one on', async () => {
  const turns = createFairTurns(1)
  const failing = turns('a', () => Promise.reject(new Error('no')))
  const other = turns('b', async () => 'done')
  await expect(failing).rejects.toThrow('no')
  expect(await other).toBe('done')
  expect(await turns('a', async () => 'again')).toBe('again')
})

/** Lets `lanes` payers at a time have light tasks of one tick, each payer so many in a row. Ends when `until` does. */
async function streamOfFreshPayers(
  turns: FairTurns,
  lanes: number,
  tasksEach: number,
  until: Promise<unknown>,
) {
  let hasEnded = false
  let payers = 0
  const lane = async (first: number) => {
    // At different times, so that never all of them end at once.
    for (let at = 0; at < first; at++) await settled()
    while (!hasEnded) {
      const payer = `fresh ${payers++}`
      for (let at = 0; at < tasksEach; at++) await turns(payer, () => ticks(8))
    }
  }
  const all = Array.from({ length: lanes }, (_, at) => lane(at % 8))
  await until
  hasEnded = true
  await Promise.all(all)
}

const ticks = async (count: number) => {
  for (let at = 0; at < count; at++) await settled()
}

test.each([
  ['half of the places', 24, 2],
  ['half of the places, one task each', 24, 1],
  ['twice the places', 96, 2],
  ['twice the places, one task each', 96, 1],
])('a heavy task begins soon while payers who never came before take %s', async (_, lanes, each) => {
  const turns = createFairTurns(48)
  let waited = 0
  let hasBegun = false
  const begin = async () => {
    hasBegun = true
  }
  const heavy = async () => {
    await ticks(40)
    // As the reconciler does: a light turn for the proof, then a heavy one, which starts after it.
    await turns('payroll', () => ticks(8))
    const begun = turns('payroll', begin, 26)
    for (; !hasBegun && waited < 2_000; waited++) await settled()
    return () => begun
  }
  const begun = heavy()
  await streamOfFreshPayers(turns, lanes, each, begun)
  await (await begun)()
  // Within four rounds at half load, and within the others' waiting time under more.
  expect(waited / 8).toBeLessThan(lanes > 48 ? 8 : 4)
})

test('payers get equal shares, whether their tasks are heavy or light, queued or asked for one by one', async () => {
  const turns = createFairTurns(48)
  const done = new Map<string, number>()
  let hasEnded = false
  const task = (payer: string, weight: number) =>
    turns(
      payer,
      async () => {
        await ticks(4)
        if (!hasEnded) done.set(payer, (done.get(payer) ?? 0) + weight)
      },
      weight,
    )
  const queued = async (payer: string, weight: number) => {
    await Promise.all(Array.from({ length: 1_600 / weight }, () => task(payer, weight)))
  }
  const onDemand = async (payer: string) => {
    const lane = async () => {
      while (!hasEnded) await task(payer, 1)
    }
    await Promise.all(Array.from({ length: 48 }, lane))
  }
  const all = [queued('light', 1), queued('heavy', 16), queued('middling', 6), onDemand('steady')]
  await ticks(400)
  hasEnded = true
  const shares = [...done.values()]
  expect(shares).toHaveLength(4)
  expect(Math.min(...shares)).toBeGreaterThan(0.75 * Math.max(...shares))
  await Promise.all(all)
})
