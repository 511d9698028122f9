import { concat, hashMessage, hexToNumber, numberToHex, recoverAddress, size, slice } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'

/**
 * Converts an owner's signature of a Safe transaction to the Safe's form: over the hash itself, or over the hash as a
 * message (`eth_sign`, which the Safe recognises by a higher `v`). Null when it isn't the owner's: a Safe's other
 * kinds, such as approvals on chain, don't come from a key.
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
