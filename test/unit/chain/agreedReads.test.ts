import { numberToHex } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAgreedReads } from '../../../services/chain/history/agreedReads.ts'
import { requestHeader } from '../../../services/chain/history/requestInBatches.ts'
import type { Provider } from '../../../services/chain/rpcPool/provider.ts'
import type { RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A pool that asks the first provider that isn't excluded, of providers whose heads the test sets. */
function poolWith(...heads: number[]) {
  const providers = heads.map((_, position) => ({ position }) as never as Provider)
  const requests = { count: 0 }
  const pool = {
    providers,
    trusted: () => providers,
    send: async (_: unknown, { exclude }: { exclude?: ReadonlySet<Provider> } = {}) => {
      requests.count += 1
      const provider = providers.find((one) => !exclude?.has(one))
      const number = numberToHex(heads[providers.indexOf(provider!)]!)
      return {
        provider,
        answers: [{ result: { number, hash: `0x${'aa'.repeat(32)}`, timestamp: number } }],
      }
    },
  } as never as RpcPool
  return {
    pool,
    requests,
    report: (...next: number[]) => void heads.splice(0, heads.length, ...next),
  }
}

test('the first of two providers is read, until it has served an old head for a minute', async () => {
  const { pool, report } = poolWith(100, 100)
  const { head, read } = createAgreedReads(pool)
  expect((await head()).number).toBe(100)
  vi.advanceTimersByTime(60_000)
  report(100, 160)
  expect((await head()).number).toBe(100)
  vi.advanceTimersByTime(10_000)
  report(100, 170)
  expect((await head()).number).toBe(170)
  expect((await read((sending) => requestHeader(sending, 'latest'), String)).number).toBe(170)
  // It has caught up.
  vi.advanceTimersByTime(10_000)
  report(180, 179)
  expect((await head()).number).toBe(180)
})

test('a stalled chain is read from the first of two providers', async () => {
  const { pool } = poolWith(101, 100)
  const { head } = createAgreedReads(pool)
  await head()
  vi.advanceTimersByTime(600_000)
  expect((await head()).number).toBe(101)
})

test('providers are compared every ten seconds, not at each look at the head', async () => {
  const { pool, requests } = poolWith(100, 100)
  const { head } = createAgreedReads(pool)
  await head()
  const first = requests.count
  for (let look = 0; look < 10; look++) await head()
  expect(requests.count).toBe(first + 10)
})
