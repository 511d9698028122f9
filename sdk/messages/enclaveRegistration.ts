import { type Address, type Hex, parseAbiParameters } from 'viem'

/** An enclave's keys, as `EnclaveKeyRegistry.register` takes them. */
export type EnclaveRegistration = {
  /** The attestation key's address. */
  signer: Address
  /** 65 bytes, uncompressed. */
  eciesKey: Hex
  operator: Address
  evidenceHash: Hex
  challenge: Hex
  /** Unix seconds. */
  deadline: bigint
}

const TYPES = {
  Registration: parseAbiParameters(
    'address signer, bytes eciesKey, address operator, bytes32 evidenceHash, bytes32 challenge, uint256 deadline',
  ),
} as const

/** What an enclave's attestation key and its operator both sign (EIP-712). */
export function enclaveRegistrationTypedData(
  { chainId, registry }: { chainId: number; registry: Address },
  message: EnclaveRegistration,
) {
  return {
    domain: { name: 'EnclaveKeyRegistry', version: '1', chainId, verifyingContract: registry },
    types: TYPES,
    primaryType: 'Registration',
    message,
  } as const
}
