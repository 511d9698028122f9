import { concat, hashMessage, hexToNumber, numberToHex, recoverAddress, size, slice } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'

/**
 * An owner's signature of a Safe transaction as the Safe accepts it: over the hash itself, or over the hash
 * as a message (`eth_sign`, which the Safe knows by a higher `v`). Null when it is not the owner's: other
 * kinds that a Safe knows, such as approvals on chain, don't come from a key.
 *
 * @param owner lower case
 */
export async function ownerSignature(hash: Hex, signature: Hex, owner: Hex): Promise<Hex | null> {
  if (size(signature) !== 65) return null
  const v = hexToNumber(slice(signature, 64))
  const plain = v < 2 ? v + 27 : v > 30 ? v - 4 : v
  if (plain !== 27 && plain !== 28) return null
  const key = concat([slice(signature, 0, 64), numberToHex(plain, { size: 1 })])
  if (v <= 28 && (await isSigner(hash, key, owner))) return key
  const message = hashMessage({ raw: hash })
  if (!(await isSigner(message, key, owner))) return null
  return concat([slice(signature, 0, 64), numberToHex(plain + 4, { size: 1 })])
}

async function isSigner(hash: Hex, signature: Hex, owner: Hex): Promise<boolean> {
  const signer = await recoverAddress({ hash, signature }).catch(() => null)
  return signer?.toLowerCase() === owner
}
