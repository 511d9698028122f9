import { expect, test } from 'vitest'
import { findTokenSlot, listRecordSlots } from '../../../core/proof/storage/storageSlots.ts'
import type { StorageProofReader } from '../../../services/chain/proof/storageProofReader.ts'
import { createIntentProver } from '../../../services/relayer/evidence/intentProver.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'

const intent = { sourceChainId: 1, intentId: 7n, destChainId: 2, tokenA: '0x70', createdBlock: 1 }
const source = intent as SourceFacts
const [recordHead] = listRecordSlots(intent.intentId)

/** An open intent whose token has this position in the bridge's list. */
const recordOf = (tokenIndex: bigint) => (tokenIndex << 192n) | (1n << 216n)

test('a false position of a token is read again once the evidence turned out bad', async () => {
  const claimed = [9n, 3n]
  const proven: (readonly string[])[] = []
  const reader = {
    prove: async (slots: readonly string[]) => {
      const isPosition = slots.length === 1
      if (!isPosition) proven.push(slots)
      const head = recordOf(isPosition ? claimed.shift()! : 3n)
      return { evidence: { blockNumber: 1 }, values: new Map([[recordHead, head]]), timestamp: 1 }
    },
    doubt: () => {},
  } as unknown as StorageProofReader
  const pool = { trusted: () => [] } as never
  const prover = createIntentProver({ db: createFakeDatabase(), pool, reader }, '0xb0')
  await prover.atHead(source, 1)
  await prover.atHead(source, 1)
  await prover.forget(source)
  await prover.atHead(source, 1)
  expect(proven.map((slots) => slots.includes(findTokenSlot(9)))).toEqual([true, true, false])
  expect(proven.at(-1)).toContain(findTokenSlot(3))
})
