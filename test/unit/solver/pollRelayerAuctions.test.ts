import { afterEach, describe, expect, it, vi } from 'vitest'
import type { RelayerBatch, RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import {
  type Market,
  pollRelayerAuctions,
} from '../../../services/solver/market/pollRelayerAuctions.ts'
import { until } from '../../rig/until.ts'
import { BASE, HORIZEN, policyOf, RIVAL, USDC } from './solverTestbed.ts'

const PAIR = { sourceChainId: BASE, destChainId: HORIZEN, tokenA: USDC, tokenB: USDC }

let market: Market | undefined
afterEach(async () => {
  await market?.stop()
  vi.restoreAllMocks()
})

/** A relayer that lists these pending intents in pages, those that end soonest first. */
function relayerOf(pending: { intentId: bigint; feeBps: number | null; endTime?: number }[]) {
  const pagesServed = { count: 0 }
  const relayer = {
    batches: async () => [{ ...PAIR, biddable: 1 } as RelayerBatch],
    intents: async ({ status, limit = 0, cursor, endsAfter }: Record<string, unknown> = {}) => {
      if (status !== 'pending') return { intents: [], nextCursor: null }
      pagesServed.count += 1
      const from = Number(cursor ?? 0)
      const to = from + Number(limit)
      const listed = pending.filter(({ endTime = Infinity }) => endTime > Number(endsAfter))
      return {
        intents: listed.slice(from, to).map((intent) => ({ ...PAIR, ...intent }) as RelayerIntent),
        nextCursor: to < listed.length ? String(to) : null,
      }
    },
  }
  return {
    pagesServed,
    relayer: relayer as never as Parameters<typeof pollRelayerAuctions>[0]['relayer'],
  }
}

function watch(
  relayer: Parameters<typeof pollRelayerAuctions>[0]['relayer'],
  onTrouble = (error: unknown) => expect(error).toBeUndefined(),
  chainTimes: readonly number[] = [],
): Market {
  const policy = policyOf()
  market = pollRelayerAuctions({
    relayer,
    solver: RIVAL,
    policy: () => policy,
    chainTimes: () => chainTimes,
    everyMs: 1,
    onTrouble,
  })
  return market
}

const unanchored = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ intentId: BigInt(n), feeBps: null }))

describe('the auctions that a solver looks at', () => {
  it('come after its own wins, whose funds it needs', async () => {
    const { relayer } = relayerOf([{ intentId: 2n, feeBps: 250 }])
    const { intents } = relayer
    const answer = Promise.withResolvers<Awaited<ReturnType<typeof intents>>>()
    const asked = Promise.withResolvers<void>()
    relayer.intents = async (query) => {
      if (query?.status === 'pending') return intents(query)
      asked.resolve()
      return answer.promise
    }
    const watched = watch(relayer)
    await asked.promise
    expect(watched.auctions()).toEqual([])
    const won = { ...PAIR, intentId: 1n } as RelayerIntent
    answer.resolve({ intents: [won], nextCursor: null } as never)
    await until(async () => watched.auctions().length === 2, 'both are listed')
  })

  it('are still read when its wins can’t be read any more', async () => {
    const pending = [{ intentId: 1n, feeBps: 250 }]
    const { relayer } = relayerOf(pending)
    const { intents } = relayer
    let isBroken = false
    relayer.intents = async (query) => {
      if (isBroken && query?.status !== 'pending') throw new Error('broken')
      return intents(query)
    }
    let troubles = 0
    const watched = watch(relayer, () => {
      troubles += 1
    })
    await until(async () => watched.auctions().length === 1, 'the auction is listed')
    isBroken = true
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 5_000)
    await until(async () => troubles > 0, 'the wins are asked for again')
    pending.push({ intentId: 2n, feeBps: 250 })
    await until(async () => watched.auctions().length === 2, 'the next auction is listed')
  })

  it('are not hidden by thousands of unanchored intents that end sooner', async () => {
    const { relayer, pagesServed } = relayerOf([
      ...unanchored(4_500),
      { intentId: 10_000n, feeBps: 250 },
    ])
    const watched = watch(relayer)
    await until(async () => watched.auctions().length > 0, 'the auction is listed')
    const before = pagesServed.count
    await until(async () => pagesServed.count >= before + 10, 'a part of the list is read again')
    expect(watched.auctions().map(({ intentId }) => intentId)).toContain(10_000n)
  })

  it('include those of a chain that is an hour behind this machine’s clock', async () => {
    const behind = Math.floor(Date.now() / 1_000) - 3_600
    const { relayer } = relayerOf([{ intentId: 1n, feeBps: 250, endTime: behind + 60 }])
    const watched = watch(relayer, undefined, [behind, behind + 3_600])
    await until(async () => watched.auctions().length > 0, 'the auction is listed')
  })

  it('are listed although a chain says that it is 1970: the relayer knows no earlier time', async () => {
    const { relayer } = relayerOf([{ intentId: 1n, feeBps: 250 }])
    const strict: typeof relayer = {
      ...relayer,
      intents: async (query) => {
        if (Number(query?.endsAfter ?? 0) < 0) throw new Error('expected unix seconds')
        return relayer.intents(query)
      },
    }
    const watched = watch(strict, () => {}, [0])
    await until(async () => watched.auctions().length > 0, 'the auction is listed')
  })

  it('are never more than it asked for: each is read from its chain before the next deposit', async () => {
    const { relayer } = relayerOf(unanchored(5_000).map((one) => ({ ...one, feeBps: 250 })))
    const generous: typeof relayer = {
      ...relayer,
      intents: (query) => relayer.intents({ ...query, limit: 5_000 }),
    }
    const watched = watch(generous)
    await until(async () => watched.auctions().length > 0, 'auctions are listed')
    expect(watched.auctions()).toHaveLength(200)
  })

  it('disappear once a complete list no longer has them', async () => {
    const pending = [{ intentId: 1n, feeBps: 250 }]
    const watched = watch(relayerOf(pending).relayer)
    await until(async () => watched.auctions().length > 0, 'the auction is listed')
    pending.length = 0
    await until(async () => watched.auctions().length === 0, 'the auction is gone')
  })

  it('are read from the beginning after the relayer refused a cursor', async () => {
    const { relayer } = relayerOf([{ intentId: 1n, feeBps: 250 }, ...unanchored(2_500)])
    let refused = 0
    const refusing: typeof relayer = {
      ...relayer,
      intents: async (query) => {
        if (query?.cursor === '2000' && ++refused === 1) throw new Error('invalid cursor')
        return relayer.intents(query)
      },
    }
    const watched = watch(refusing, () => {})
    await until(async () => refused > 1, 'the list is read to its end')
    expect(watched.auctions().map(({ intentId }) => intentId)).toContain(1n)
  })
})
