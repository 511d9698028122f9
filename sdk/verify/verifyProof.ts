import { parseProof } from '../../core/proof/parseProof.ts'
import { ProofError } from '../../core/proof/proofError.ts'
import { verifyIntentProof } from '../../core/proof/verifyIntentProof.ts'
import type { VerifiedIntent } from './verifiedIntent.ts'

/**
 * Verifies the answers of `GET /intents/{id}/proof` (all pages, in any order) offline: each header hashes to its block's
 * hash, each receipt is in the header's trie, each event is in its receipt and belongs to the intent.
 *
 * @param pages the answers as received, unparsed
 * @throws ProofError naming the first failed check
 */
export async function verifyProof(pages: readonly string[]): Promise<VerifiedIntent> {
  const [first, ...more] = pages.map((page) => parseProof(page))
  if (first === undefined) throw new ProofError('MALFORMED_PROOF', 'no page was given')
  const proven = await verifyIntentProof([first, ...more])
  const { intentId, sourceChainId, facts, isWhole, deployment } = proven
  const all = deployment === null ? proven.events : [deployment, ...proven.events]
  const blocks = new Map(
    all.map(({ event: { point } }) => {
      const { chainId, blockNumber, blockHash } = point
      return [blockHash, { chainId, blockNumber, blockHash }]
    }),
  )
  return {
    intentId,
    sourceChainId,
    facts,
    isWhole,
    bridges: proven.bridges.map(({ chainId, address }) => ({ chainId, address })),
    events: proven.events.map(({ event }) => event),
    unconfirmed: [...blocks.values()],
  }
}
