import type { BlobPlaintext } from '../../../core/blob/plaintext.ts'
import { EnclaveError } from '../enclaveError.ts'
import { plaintextOf } from '../evidence/openIntent.ts'
import type { Room } from '../room.ts'

/**
 * A bundle that isn't on chain. Anybody can seal one to the enclave's key: what it is worth, the sender's
 * signature in it says. What it says of registered wallets counts for nothing.
 */
export function proposed(room: Room, proposal: Uint8Array | undefined): BlobPlaintext | null {
  if (proposal === undefined) return null
  const contents = plaintextOf(room, proposal)
  if (contents === null) throw new EnclaveError('DECRYPTION_FAILED', 'proposal')
  return { ...contents, registered: [] }
}
