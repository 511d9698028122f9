import { numberToHex, pad } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AgreedReads, createAgreedReads } from '../../../services/chain/history/agreedReads.ts'
import { UnusableAnswerError } from '../../../services/chain/history/historyErrors.ts'
import { requestHeader } from '../../../services/chain/history/requestInBatches.ts'
import { type RpcRequest, resultOf } from '../../../services/chain/rpcPool/provider.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A pool that asks the first provider that isn't excluded, of providers whose heads the test sets. */
function poolWith(...heads: number[]) {
  const providers: { quarantine?: object }[] = heads.map(() => ({}))
  const requests = { count: 0 }
  const trusted = () => providers.filter(({ quarantine }) => !quarantine)
  const pool = {
    providers,
    trusted,
    send: async (_: unknown, { exclude }: { exclude?: ReadonlySet<unknown> } = {}) => {
      requests.count += 1
      const provider = trusted().find((one) => !exclude?.has(one))
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
    quarantine: (position: number) => Object.assign(providers[position]!, { quarantine: {} }),
    report: (...next: number[]) => void heads.splice(0, heads.length, ...next),
  }
}

async function latestOf(readCounted: AgreedReads['readCounted']): Promise<number> {
  return (await readCounted((sending) => requestHeader(sending, 'latest'), String)).answer.number
}

test('the first of two providers is read, until its head has been stale for a minute', async () => {
  const { pool, report } = poolWith(100, 100)
  const { head, readCounted } = createAgreedReads(pool)
  expect((await head()).number).toBe(100)
  vi.advanceTimersByTime(60_000)
  report(100, 160)
  expect((await head()).number).toBe(100)
  vi.advanceTimersByTime(10_000)
  report(100, 170)
  expect((await head()).number).toBe(170)
  expect(await latestOf(readCounted)).toBe(170)
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

test('a stalled provider is read again once the one that isn’t is quarantined', async () => {
  const { pool, report, quarantine } = poolWith(100, 100)
  const { head, readCounted } = createAgreedReads(pool)
  await head()
  vi.advanceTimersByTime(61_000)
  report(100, 161)
  expect((await head()).number).toBe(161)
  quarantine(1)
  expect(await latestOf(readCounted)).toBe(100)
})

test('a chain’s only provider is compared with none', async () => {
  const { pool, requests } = poolWith(100)
  await createAgreedReads(pool).head()
  expect(requests.count).toBe(1)
})

test('providers are compared every ten seconds, not at each look at the head', async () => {
  const { pool, requests } = poolWith(100, 100)
  const { head } = createAgreedReads(pool)
  await head()
  const first = requests.count
  for (let look = 0; look < 10; look++) await head()
  expect(requests.count).toBe(first + 10)
})

test('no provider’s word alone makes a block the child of another', async () => {
  const [parent, other] = [`0x${'bb'.repeat(32)}`, `0x${'cc'.repeat(32)}`]
  const { pool } = poolWith(100, 100, 100)
  const send: RpcPool['send'] = async (requests, options) => {
    const { answers, provider } = await pool.send(requests, options)
    const parentHash = provider === pool.providers[1] ? other : parent
    return {
      answers: answers.map((one) => ({ result: { ...Object(resultOf(one)), parentHash } })),
      provider,
    }
  }
  const { head } = createAgreedReads({ ...pool, send })
  expect((await head()).parentHash).toBe(parent)
})

/** A pool of three: the first invents its blocks, the others have those up to their heads; null: it is down. */
function poolWithLiar(invented: number, ...honest: (number | null)[]) {
  const providers = [{}, {}, {}]
  const send = async ([request]: RpcRequest[], { exclude }: { exclude: ReadonlySet<unknown> }) => {
    const at = providers.findIndex((one) => !exclude.has(one))
    const head = at === 0 ? invented : honest[at - 1]!
    if (head === null) throw new RpcError('unreachable', 'it is down')
    const block = request!.params[0] === 'latest' ? head : Number(request!.params[0])
    if (block > head) throw new RpcError('behind', 'it lacks the block')
    const hash = pad(at === 0 ? '0x11' : '0xaa')
    const number = numberToHex(block)
    const result = { number, hash, parentHash: hash, timestamp: number }
    return { provider: providers[at], answers: [{ result }] }
  }
  return { providers, trusted: () => providers, send } as never as RpcPool
}

test.each<[string, (number | null)[], number | null]>([
  ['when another lacks the latest block', [100, 99], 99],
  ['when others have the same', [100, 100], 100],
  ['while one of the others is down', [100, null], null],
])('one of three that invents later blocks decides about none %s', async (_, honest, agreed) => {
  for (const invented of [101, 10 ** 9]) {
    const { head } = createAgreedReads(poolWithLiar(invented, ...honest))
    const number = await head().then(
      (header) => header.hash === pad('0xaa') && header.number,
      (error) => error instanceof UnusableAnswerError && null,
    )
    expect(number).toBe(agreed)
  }
})
