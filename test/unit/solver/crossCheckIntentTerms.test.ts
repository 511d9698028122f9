import { describe, expect, it } from 'vitest'
import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { crossCheckIntentTerms } from '../../../services/solver/act/crossCheckIntentTerms.ts'
import type { IntentSnapshot } from '../../../services/solver/plan/solverSnapshot.ts'
import type { SolverContext } from '../../../services/solver/solverContext.ts'
import { OPEN, WETH } from './solverTestbed.ts'

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
