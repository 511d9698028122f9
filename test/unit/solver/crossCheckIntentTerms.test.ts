import { describe, expect, it } from 'vitest'
import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import { crossCheckIntentTerms } from '../../../services/solver/act/crossCheckIntentTerms.ts'
import { readSourceIntents } from '../../../services/solver/chain/readSourceIntents.ts'
import type { SolverChain, SolverNode } from '../../../services/solver/chain/solverChain.ts'
import type { IntentSnapshot } from '../../../services/solver/plan/solverSnapshot.ts'
import type { SolverContext } from '../../../services/solver/solverContext.ts'
import { CHAINS, OPEN, RIVAL, US, WETH } from './solverTestbed.ts'

const WON: IntentSnapshot = { ...OPEN, phase: 'deposited', fillDeadline: 500 }

/** The relayer’s record of an intent. */
function recordOf(seen: IntentSnapshot): RelayerIntent {
  return { ...seen, fillDeadline: seen.fillDeadline || null } as unknown as RelayerIntent
}

/** Checks an intent against the relayer’s list or, if it is not listed, its detail endpoint. */
function solverThat(hears: RelayerIntent | null, isRevealed: RelayerIntent) {
  const asked: bigint[] = []
  const intentDetails = async (id: bigint) => {
    asked.push(id)
    return isRevealed
  }
  const auctions = () => (hears ? [hears] : [])
  return {
    asked,
    solver: {
      chains: [{ chainId: WON.sourceChainId, nodes: [{ operator: 'alone' }] }],
      market: { auctions },
      relayer: { intentDetails },
    } as unknown as SolverContext,
  }
}

describe('the terms of an intent', () => {
  it.each<[string, Partial<IntentSnapshot>]>([
    ['destChainId', { destChainId: 1 }],
    ['amountA', { amountA: 10n ** 12n }],
    ['expectedAmountB', { expectedAmountB: 10n ** 12n }],
    ['reward', { reward: 1n }],
    ['tokenA', { tokenA: WETH }],
    ['tokenB', { tokenB: WETH }],
    ['feeBps', { feeBps: 700 }],
    ['fillDeadline', { fillDeadline: 501 }],
  ])('are rejected if only the node reports another %s', async (term, lie) => {
    const record = recordOf(WON)
    const { solver } = solverThat(record, record)
    await expect(crossCheckIntentTerms(solver, { ...WON, ...lie })).rejects.toMatchObject({
      code: 'TERMS_DISPUTED',
      message: expect.stringContaining(term),
    })
  })

  it('are checked against the relayer’s list without another request', async () => {
    const { solver, asked } = solverThat(recordOf(OPEN), recordOf(OPEN))
    await crossCheckIntentTerms(solver, OPEN)
    expect(asked).toEqual([])
  })

  it('are requested if the list lacks them or is outdated', async () => {
    for (const heard of [null, recordOf(OPEN)]) {
      const { solver, asked } = solverThat(heard, recordOf(WON))
      await crossCheckIntentTerms(solver, WON)
      expect(asked).toEqual([WON.intentId])
    }
  })
})

/** The intent as the bridge returns it. */
const STORED = {
  ...WON,
  phase: 2,
  sender: RIVAL,
  solver: US,
  auctionDuration: 60,
  destChainId: BigInt(WON.destChainId),
  endTime: BigInt(WON.endTime),
  firmAt: BigInt(WON.firmAt),
  fillDeadline: BigInt(WON.fillDeadline),
}

type Report = Partial<typeof STORED> | Error

/** A chain with these operators' nodes, and what each reports about the intent. */
function chainWith(reports: readonly (readonly [operator: string, report: Report])[]) {
  const nodes = reports.map(([operator, report]) => ({
    name: operator,
    operator,
    client: {
      getBlockNumber: async () => 9n,
      multicall: async () => {
        if (report instanceof Error) throw report
        return [{ ...STORED, ...report }]
      },
    },
  })) as unknown as SolverNode[]
  const { chainId, bridge } = CHAINS[0]!
  return {
    chainId,
    bridge,
    nodes,
    queryAll: createQueryAllProviders(nodes),
  } as unknown as SolverChain
}

describe('nodes confirm an intent’s terms in the relayer’s place', () => {
  const same = {}
  const silent = new Error('silent')
  it.each<[boolean, string, [string, Report][]]>([
    [
      true,
      'of two operators',
      [
        ['a', same],
        ['b', same],
      ],
    ],
    [
      true,
      'of two operators, against a third',
      [
        ['a', same],
        ['b', same],
        ['c', { reward: 1n }],
      ],
    ],
    [
      true,
      'of two operators while a third is silent',
      [
        ['a', same],
        ['b', same],
        ['c', silent],
      ],
    ],
    [
      false,
      'of one operator',
      [
        ['a', same],
        ['a', same],
      ],
    ],
    [
      false,
      'of two operators, one of them silent',
      [
        ['a', same],
        ['b', silent],
      ],
    ],
    [
      false,
      'that are all silent',
      [
        ['a', silent],
        ['b', silent],
      ],
    ],
    [
      false,
      'that are no more than those that report others',
      [
        ['a', same],
        ['b', same],
        ['c', { reward: 1n }],
        ['d', { reward: 1n }],
      ],
    ],
    [
      false,
      'that disagree about the reward',
      [
        ['a', same],
        ['b', { reward: 1n }],
      ],
    ],
    [
      false,
      'that disagree about the fee',
      [
        ['a', same],
        ['b', { feeBps: 700 }],
      ],
    ],
    [
      false,
      'that disagree about the deadline',
      [
        ['a', same],
        ['b', { fillDeadline: 501n }],
      ],
    ],
    [
      false,
      'of which one doesn’t know it',
      [
        ['a', same],
        ['b', { phase: 0 }],
      ],
    ],
  ])('%s: those %s', async (isConfirmed, _, reports) => {
    const chain = chainWith(reports)
    const seen = { ...chain, client: chainWith([['a', same]]).nodes[0]!.client }
    const [intent] = await readSourceIntents(seen, [WON.intentId], 9n)
    const asked: bigint[] = []
    const relayer = {
      intentDetails: async (id: bigint) => {
        asked.push(id)
        return recordOf(intent!)
      },
    }
    const market = { auctions: () => [] }
    const solver = { chains: [chain], market, relayer } as unknown as SolverContext
    await crossCheckIntentTerms(solver, intent!)
    expect(asked).toEqual(isConfirmed ? [] : [WON.intentId])
  })
})
