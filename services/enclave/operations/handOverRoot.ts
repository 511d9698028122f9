import { bytesToHex, concat, hexToBytes } from 'viem'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { requireActiveKey, requireOperatorSignatures } from '../handover/handoverAuthorization.ts'
import { buildRootGift, buildRootRequest, hashTyped } from '../handover/handoverMessages.ts'
import { getTransportPublicKey } from '../keys/attesterKeys.ts'
import { splitRoots } from '../keys/rootFile.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import { signTyped } from './signWithAttesterKey.ts'

/** Lets an enclave without a root request it. */
export const requestRoot: Handler<'requestRoot'> = async ({ attester }) => {
  const transportKey = getTransportPublicKey(attester)
  return { transportKey, ...(await signTyped(attester.current, buildRootRequest(transportKey))) }
}

/**
 * Gives all roots to another enclave, sealed to its transport key, if the registries' proven storage shows its
 * attestation key as active and their operators have approved it.
 */
export const handOverRoot: Handler<'handOverRoot'> = async (
  context,
  { transportKey, signature, signer, registries },
) => {
  const { roots } = context.keyring
  requireSignature(buildRootRequest(transportKey), signature, signer)
  const opened = await requireActiveKey(context, signer, registries)
  await requireOperatorSignatures(context, opened, { signer, transportKey }, registries)
  const sealed = context.ecies.encrypt(hexToBytes(transportKey), concat([...roots]))
  const sealedRoots = bytesToHex(sealed)
  const gift = buildRootGift({ transportKey, sealedRoots })
  return { sealedRoots, ...(await signTyped(context.attester.current, gift)) }
}

/**
 * Accepts another enclave's roots. The giver's key must be active in the registries too: a stranger who chose this
 * enclave's root could read everything that senders seal to it.
 */
export const acceptRoots: Handler<'acceptRoots'> = async (
  context,
  { sealedRoots, signature, signer, registries },
) => {
  const transportKey = getTransportPublicKey(context.attester)
  requireSignature(buildRootGift({ transportKey, sealedRoots }), signature, signer)
  await requireActiveKey(context, signer, registries)
  const roots = splitRoots(decrypt(context, sealedRoots))
  if (roots === null) throw new EnclaveError('DECRYPTION_FAILED')
  await context.acceptRoots(roots)
  return { keyIds: [...context.keyring.byId.keys()] }
}

function requireSignature(typed: object, signature: Hex, signer: Hex): void {
  if (recoverSigner(hashTyped(typed), signature) !== signer) {
    throw new EnclaveError('SIGNATURE_INVALID')
  }
}

function decrypt({ ecies, attester }: OperationContext, sealedRoots: Hex): Uint8Array {
  try {
    return ecies.decrypt(attester.transportKey, hexToBytes(sealedRoots))
  } catch {
    throw new EnclaveError('DECRYPTION_FAILED')
  }
}
