import { type Hex, keccak256, recoverTypedDataAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { attestation } from '../../../sdk/intent/attestations.ts'
import { majority } from '../../chain/transactions/agreement.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import type { SeenIntent } from '../plan/snapshot.ts'

/**
 * The revealed recipients aren't signed, or their amounts don't add up to our commitment. The message names no
 * recipient.
 */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}

/** The most signatures that any intent needs: more would only waste our time. */
const MOST = 16

/**
 * Requires that as many enclaves of different operators as the intent needs have signed what was revealed to us,
 * by the registry of its bridge. A claim of the relayer alone doesn't count: it could name anyone.
 *
 * @param intent as we have won it: terms, blobs and commitment are part of what is signed
 * @throws RecipientsRefused
 */
export async function checkReveal(
  chain: SolverChain,
  intent: SeenIntent,
  sealed: Hex,
  signatures: readonly Hex[],
): Promise<void> {
  const { intentId, paramsHash, blobsHash, amountB, quorum, fillDeadline } = intent
  if (!intent.solver) throw new RecipientsRefused('nobody has won the intent')
  const reveal = attestation(chain, 'Reveal', {
    ...{ intentId, paramsHash, blobsHash, amountB, solver: intent.solver },
    sealedHash: keccak256(sealed),
  })
  const { registry, executionWindow } = await chain.terms()
  const signers = await Promise.all(
    signatures.slice(0, MOST).map((signature) =>
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
  // A node alone could have a thief's key count.
  const said = await chain.queryAll(async ({ client }) => {
    const answers = await client.multicall({ allowFailure: false, contracts })
    return new Set(answers.flatMap(([counts, operator]) => (counts ? [operator] : [])))
  }, wordOf)
  const operators = majority(said, wordOf) ?? new Set()
  if (operators.size < quorum)
    throw new RecipientsRefused(
      `enclaves of ${operators.size} operators have signed the recipients, but ${quorum} must`,
    )
}

function wordOf(operators: ReadonlySet<Hex>): string {
  return [...operators].sort().join()
}
