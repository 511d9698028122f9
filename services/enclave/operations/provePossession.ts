import { bytesToHex } from 'viem'
import { enclaveRegistrationTypedData } from '../../../sdk/messages/enclaveRegistration.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { transportPublicKey } from '../keys/attester.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import { type OperationContext, registryIn } from '../operationContext.ts'
import { selectAttester } from './selectAttester.ts'

/** Signs what the chain's `EnclaveKeyRegistry.register` takes as the proof of possession. */
export async function provePossession(
  context: OperationContext,
  { chainId, key, ...registration }: CheckedRequest<'provePossession'>,
): Promise<ResponseOf<'provePossession'>> {
  const { registry } = registryIn(context, chainId)
  const account = selectAttester(context, key)
  const eciesPublicKey = registeredEciesKey(context)
  const typed = enclaveRegistrationTypedData(
    { chainId, registry },
    { ...registration, signer: account.address, eciesKey: eciesPublicKey },
  )
  const signature = await account.signTypedData(typed)
  return { signature, signer: account.address.toLowerCase() as Hex, eciesPublicKey }
}

/**
 * The key that a registry names for senders to seal to. An enclave that waits for the root registers with the key
 * that it wants the root sealed to, and with the other when its attestation key is rotated.
 */
export function registeredEciesKey(context: OperationContext): Hex {
  return context.hasRoot
    ? bytesToHex(context.keyring.current.publicKey)
    : transportPublicKey(context.attester)
}
