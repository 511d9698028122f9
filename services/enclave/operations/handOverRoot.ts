import { bytesToHex, concat, hexToBytes } from 'viem'
import { signerOf } from '../../../core/bundle/signerOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { hashOf, rootGift, rootRequest } from '../handover/handoverMessages.ts'
import { requireActive, requireOperators } from '../handover/requireVouched.ts'
import { transportPublicKey } from '../keys/attester.ts'
import { openKeyring } from '../keys/keyring.ts'
import { splitRoots } from '../keys/rootFile.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import { signTyped } from './signMessage.ts'

/** How an enclave without the root asks one that has it. */
export const requestRoot: Handler<'requestRoot'> = async ({ attester }) => {
  const transportKey = transportPublicKey(attester)
  return { transportKey, ...(await signTyped(attester.current, rootRequest(transportKey))) }
}

/**
 * Gives all roots to another enclave, sealed to its key. The registries, by proofs of their storage, and
 * two operators of each vouch for it.
 */
export const handOverRoot: Handler<'handOverRoot'> = async (
  context,
  { transportKey, signature, signer, registries },
) => {
  const { roots } = context.keyring
  if (signerOf(hashOf(rootRequest(transportKey)), signature) !== signer) {
    throw new EnclaveError('SIGNATURE_INVALID')
  }
  const opened = await requireActive(context, signer, registries)
  await requireOperators(context, opened, { signer, transportKey }, registries)
  const sealed = context.ecies.encrypt(hexToBytes(transportKey), concat([...roots]))
  const sealedRoots = bytesToHex(sealed)
  const gift = rootGift({ transportKey, sealedRoots })
  return { sealedRoots, ...(await signTyped(context.attester.current, gift)) }
}

/**
 * Takes the roots that another enclave gave: only from a key that the registries know, since a stranger
 * who chose this enclave's root could read what is sealed to it.
 */
export const acceptRoots: Handler<'acceptRoots'> = async (
  context,
  { sealedRoots, signature, signer, registries },
) => {
  const transportKey = transportPublicKey(context.attester)
  if (signerOf(hashOf(rootGift({ transportKey, sealedRoots })), signature) !== signer) {
    throw new EnclaveError('SIGNATURE_INVALID')
  }
  await requireActive(context, signer, registries)
  const roots = splitRoots(decrypt(context, sealedRoots))
  if (roots === null) throw new EnclaveError('DECRYPTION_FAILED')
  await context.acceptRoots(roots)
  return { keyIds: [...openKeyring(roots).byId.keys()] }
}

function decrypt({ ecies, attester }: OperationContext, sealedRoots: Hex): Uint8Array {
  try {
    return ecies.decrypt(attester.transportKey, hexToBytes(sealedRoots))
  } catch {
    throw new EnclaveError('DECRYPTION_FAILED')
  }
}
