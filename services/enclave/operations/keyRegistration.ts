import { bytesToHex, encodeAbiParameters, keccak256 } from 'viem'
import { enclaveRegistrationTypedData } from '../../../sdk/messages/enclaveRegistration.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { getTransportPublicKey, requireAttesterKey } from '../keys/attesterKey.ts'
import { type Handler, type OperationContext, requireRegistry } from '../operationContext.ts'
import { signTyped } from './signMessage.ts'

/** Signs what the chain's `EnclaveKeyRegistry.register` takes as the proof of possession. */
export const provePossession: Handler<'provePossession'> = async (
  context,
  { chainId, key, ...registration },
) => {
  const { registry } = requireRegistry(context, chainId)
  const account = requireAttesterKey(context.attester, key)
  const eciesPublicKey = getRegisteredEciesKey(context)
  const typed = enclaveRegistrationTypedData(
    { chainId, registry },
    { ...registration, signer: account.address, eciesKey: eciesPublicKey },
  )
  return { eciesPublicKey, ...(await signTyped(account, typed)) }
}

/**
 * The key that a registry names for senders to seal to. An enclave that waits for the root registers with the key
 * that it wants the root sealed to, and with the other when its attestation key is rotated.
 */
function getRegisteredEciesKey(context: OperationContext): Hex {
  return context.hasRoot
    ? bytesToHex(context.keyring.current.publicKey)
    : getTransportPublicKey(context.attester)
}

const REPORT_TYPES = [
  { type: 'string' },
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'bytes' },
  { type: 'bytes32' },
] as const

/** Evidence that this program holds its keys, bound to a registry's challenge. */
export const quote: Handler<'quote'> = async (context, { chainId, challenge, verifier, key }) => {
  const { registry } = requireRegistry(context, chainId)
  const signer = requireAttesterKey(context.attester, key).address.toLowerCase() as Hex
  const eciesPublicKey = getRegisteredEciesKey(context)
  const about = ['EnclaveKey', BigInt(chainId), registry, signer, eciesPublicKey] as const
  const reportData = keccak256(encodeAbiParameters(REPORT_TYPES, [...about, challenge]))
  const { measurement } = context.quoter
  const at = verifier === undefined ? null : { chainId, address: verifier }
  const evidence = await context.quoter.quote(reportData, at)
  return { evidence, measurement, reportData, signer, eciesPublicKey }
}
