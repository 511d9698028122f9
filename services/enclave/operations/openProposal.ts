import type { BlobPlaintext } from '../../../core/blob/plaintext.ts'
import { EnclaveError } from '../enclaveError.ts'
import { plaintextOf } from '../evidence/openIntent.ts'
import type { OperationContext } from '../operationContext.ts'

/**
 * A bundle that isn't on chain. Anyone can seal one to the enclave's key; only the sender's signature
 * inside gives it weight. What it says of registered wallets doesn't count.
 */
export function openProposal(
  context: OperationContext,
  proposal: Uint8Array | undefined,
): BlobPlaintext | null {
  if (proposal === undefined) return null
  const contents = plaintextOf(context, proposal)
  if (contents === null) throw new EnclaveError('DECRYPTION_FAILED', 'proposal')
  return { ...contents, registered: [] }
}
