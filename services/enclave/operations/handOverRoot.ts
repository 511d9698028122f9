import { bytesToHex, concat, hexToBytes } from 'viem'
import { signerOf } from '../../../core/bundle/signerOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import { hashOf, rootGift, rootRequest } from '../handover/handoverMessages.ts'
import { requireActive, requireOperators } from '../handover/requireVouched.ts'
import { transportPublicKey } from '../keys/attester.ts'
import { openKeyring } from '../keys/keyring.ts'
import type { Roots } from '../keys/rootFile.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'

const ROOT_BYTES = 32

/** How an enclave without the root asks one that has it. */
export async function requestRoot({
  attester,
}: OperationContext): Promise<ResponseOf<'requestRoot'>> {
  const transportKey = transportPublicKey(attester)
  const { current } = attester
  const signature = await current.signTypedData(rootRequest(transportKey))
  return { transportKey, signature, signer: current.address.toLowerCase() as Hex }
}

/**
 * Gives all roots to another enclave, sealed to its key. The registries, by proofs of their storage, and
 * two operators of each vouch for it.
 */
export async function handOverRoot(
  context: OperationContext,
  { transportKey, signature, signer, registries }: CheckedRequest<'handOverRoot'>,
): Promise<ResponseOf<'handOverRoot'>> {
  const { roots } = context.keyring
  if (signerOf(hashOf(rootRequest(transportKey)), signature) !== signer) {
    throw new EnclaveError('SIGNATURE_INVALID')
  }
  const opened = await requireActive(context, signer, registries)
  await requireOperators(context, opened, { signer, transportKey }, registries)
  const sealed = context.ecies.encrypt(hexToBytes(transportKey), concat([...roots]))
  const sealedRoots = bytesToHex(sealed)
  const { current } = context.attester
  const gift = await current.signTypedData(rootGift({ transportKey, sealedRoots }))
  return { sealedRoots, signature: gift, signer: current.address.toLowerCase() as Hex }
}

/**
 * Takes the roots that another enclave gave: only from a key that the registries know, since a stranger
 * who chose this enclave's root could read what is sealed to it.
 */
export async function acceptRoots(
  context: OperationContext,
  { sealedRoots, signature, signer, registries }: CheckedRequest<'acceptRoots'>,
): Promise<ResponseOf<'acceptRoots'>> {
  const transportKey = transportPublicKey(context.attester)
  if (signerOf(hashOf(rootGift({ transportKey, sealedRoots })), signature) !== signer) {
    throw new EnclaveError('SIGNATURE_INVALID')
  }
  await requireActive(context, signer, registries)
  const roots = rootsIn(decrypt(context, sealedRoots))
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

function rootsIn(bytes: Uint8Array): Roots {
  const count = bytes.length / ROOT_BYTES
  const [newest, ...older] = Array.from({ length: Math.ceil(count) }, (_, at) =>
    Uint8Array.from(bytes.subarray(at * ROOT_BYTES, (at + 1) * ROOT_BYTES)),
  )
  if (newest === undefined || !Number.isInteger(count)) throw new EnclaveError('DECRYPTION_FAILED')
  return [newest, ...older]
}
