import { type Hex, keccak256, recoverTypedDataAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { attestation } from '../../../sdk/intent/attestationTypedData.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'

/** The revealed recipients lack signatures or don't match our commitment. The message never names a recipient. */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}

/** Signatures to check at most: twice the highest quorum. */
const MAX_SIGNATURES = 16

/**
 * Requires signatures from the intent's quorum of enclaves, run by different operators in the bridge's registry. An
 * unsigned claim of the relayer doesn't count: it could name anyone.
 *
 * @param intent as we won it: the signatures cover its terms, blobs and commitment
 * @throws RecipientsRefused
 */
export async function requireRevealSignatures(
  chain: SolverChain,
  intent: IntentSnapshot,
  sealed: Hex,
  signatures: readonly Hex[],
): Promise<void> {
  const { intentId, paramsHash, blobsHash, amountB, quorum, fillDeadline } = intent
  if (!intent.solver) throw new RecipientsRefused('nobody has won the intent')
  const reveal = attestation(chain, 'Reveal', {
    intentId,
    paramsHash,
    blobsHash,
    amountB,
    solver: intent.solver,
    sealedHash: keccak256(sealed),
  })
  const { registry, executionWindow } = await chain.terms()
  const signers = await Promise.all(
    signatures.slice(0, MAX_SIGNATURES).map((signature) =>
      // An invalid signature has no signer.
      recoverTypedDataAddress({ ...reveal, signature }).catch(() => null),
    ),
  )
  const depositedAt = BigInt(fillDeadline - executionWindow)
  const contracts = signers
    .filter((signer) => signer !== null)
    .map((signer) => {
      const args = [signer, depositedAt, BigInt(quorum)] as const
      const functionName = 'countsFor' as const
      return { address: registry, abi: enclaveKeyRegistryAbi, functionName, args } as const
    })
  // One lying node could make a thief's key count.
  const answers = await chain.queryAll(async ({ client }) => {
    const keys = await client.multicall({ allowFailure: false, contracts })
    return new Set(keys.flatMap(([counts, operator]) => (counts ? [operator] : [])))
  }, sortedList)
  const operators = findMajority(answers, sortedList) ?? new Set()
  if (operators.size < quorum)
    throw new RecipientsRefused(
      `the recipients carry signatures of ${operators.size} operators, but the intent needs ${quorum}`,
    )
}

function sortedList(operators: ReadonlySet<Hex>): string {
  return [...operators].sort().join()
}
