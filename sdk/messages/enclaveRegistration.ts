import type { Address, Hex } from 'viem'

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
  Registration: [
    { name: 'signer', type: 'address' },
    { name: 'eciesKey', type: 'bytes' },
    { name: 'operator', type: 'address' },
    { name: 'evidenceHash', type: 'bytes32' },
    { name: 'challenge', type: 'bytes32' },
    { name: 'deadline', type: 'uint256' },
  ],
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
