import { describe, expect, it } from 'vitest'
import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { agreeOnTerms } from '../../../services/solver/act/agreeOnTerms.ts'
import type { SeenIntent } from '../../../services/solver/plan/snapshot.ts'
import type { Solver } from '../../../services/solver/solver.ts'
import { OPEN, WETH } from './solverTestbed.ts'

const WON: SeenIntent = { ...OPEN, phase: 'deposited', fillDeadline: 500 }

/** The relayer’s record of what a node has seen. */
function recordOf(seen: SeenIntent): RelayerIntent {
  return { ...seen, fillDeadline: seen.fillDeadline || null } as unknown as RelayerIntent
}

/** Hears of an intent from the relayer’s list, where there is something to hear, or asks for it. */
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
    } as unknown as Solver,
  }
}

describe('the terms of an intent', () => {
  it.each<[string, Partial<SeenIntent>]>([
    ['destChainId', { destChainId: 1 }],
    ['amountA', { amountA: 10n ** 12n }],
    ['expectedAmountB', { expectedAmountB: 10n ** 12n }],
    ['reward', { reward: 1n }],
    ['tokenA', { tokenA: WETH }],
    ['tokenB', { tokenB: WETH }],
    ['feeBps', { feeBps: 700 }],
    ['fillDeadline', { fillDeadline: 501 }],
  ])('of which the node alone tells another %s are not acted on', async (term, lie) => {
    const record = recordOf(WON)
    const { solver } = solverThat(record, record)
    await expect(agreeOnTerms(solver, { ...WON, ...lie })).rejects.toMatchObject({
      code: 'TERMS_DISPUTED',
      message: expect.stringContaining(term),
    })
  })

  it('are agreed on by the list that the relayer gave, without asking again', async () => {
    const { solver, asked } = solverThat(recordOf(OPEN), recordOf(OPEN))
    await agreeOnTerms(solver, OPEN)
    expect(asked).toEqual([])
  })

  it('that the list doesn’t have, or not as they are by now, are asked for', async () => {
    for (const heard of [null, recordOf(OPEN)]) {
      const { solver, asked } = solverThat(heard, recordOf(WON))
      await agreeOnTerms(solver, WON)
      expect(asked).toEqual([WON.intentId])
    }
  })
})
