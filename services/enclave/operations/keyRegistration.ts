import { bytesToHex, encodeAbiParameters, keccak256 } from 'viem'
import { enclaveRegistrationTypedData } from '../../../sdk/messages/enclaveRegistration.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { getTransportPublicKey, requireAttesterKey } from '../keys/attesterKeys.ts'
import { type Handler, type OperationContext, requireRegistry } from '../operationContext.ts'
import { signTyped } from './signWithAttesterKey.ts'

/** Signs the proof of possession for the chain's `EnclaveKeyRegistry.register`. */
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
 * The ECIES key in a registration. An enclave that waits for the root registers its transport key, and the root's key
 * when it rotates its attestation key.
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

/**
 * Rotates the attestation key in two steps, with the new key's registration between them: until then the old one signs,
 * so that no settlement waits.
 */
export const rotateAttester: Handler<'rotateAttester'> = async ({ attester }, { step }) => {
  await attester[step]()
  return {
    attester: attester.current.address.toLowerCase() as Hex,
    nextAttester: (attester.next?.address.toLowerCase() ?? null) as Hex | null,
  }
}
