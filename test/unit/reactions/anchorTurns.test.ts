import { expect, test } from 'vitest'
import { createFairTurns } from '../../../services/relayer/reconciler/fairTurns.ts'
import { anchor } from '../../../services/relayer/reconciler/perform/anchorAndAppend.ts'
import type { ReactionContext } from '../../../services/relayer/reconciler/reactionContext.ts'
import type {
  EffectOf,
  IntentState,
} from '../../../services/relayer/reconciler/reconcilerEffect.ts'

const SILENT = 1
const ANSWERS = 2

test('anchors of a chain whose nodes are silent don’t hold up another chain’s', async () => {
  const atHead = { [SILENT]: () => new Promise(() => {}), [ANSWERS]: async () => null }
  const reactor = {
    configured: new Map([SILENT, ANSWERS].map((id) => [id, { turns: createFairTurns(2) }])),
    signing: {
      judgeOn: () => ({}),
      proverOn: (chainId: 1 | 2) => ({ atHead: atHead[chainId] }),
    },
  } as unknown as ReactionContext
  const anchorOn = (sourceChainId: number, sender: string) => {
    const facts = { source: { sourceChainId, sender } }
    const state = { facts, reactions: new Map() } as unknown as IntentState
    const effect = { kind: 'anchor', proposal: null } as unknown as EffectOf<'anchor'>
    return anchor(reactor, state, effect)
  }
  for (let at = 0; at < 5; at++) void anchorOn(SILENT, `sender ${at}`)
  expect(await anchorOn(ANSWERS, 'another')).toEqual({ is: 'waiting', reason: 'INDEX_AHEAD' })
})
