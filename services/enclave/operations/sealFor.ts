import { bytesToHex, hexToBytes } from 'viem'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'

/** Encrypts bytes to a key of somebody else's, such as the winner's. */
export function sealFor(
  { ecies }: Room,
  request: CheckedRequest<'sealFor'>,
): ResponseOf<'sealFor'> {
  const publicKey = hexToBytes(request.publicKey)
  try {
    return { ciphertext: bytesToHex(ecies.encrypt(publicKey, hexToBytes(request.bytes))) }
  } catch {
    // The form was right, so it is no point of the curve.
    throw new EnclaveError('REQUEST_INVALID', 'publicKey')
  }
}
