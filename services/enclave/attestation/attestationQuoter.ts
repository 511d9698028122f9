import { encodeAbiParameters } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Vouches for this program: the processor, or its substitute in development. */
export type AttestationQuoter = {
  kind: 'software' | 'tdx'
  /** The measured configuration. */
  measurement: Hex
  /**
   * Creates evidence bound to 32 bytes.
   *
   * @param verifier the contract that will check it, on its chain; null for anyone else
   */
  quote(reportData: Hex, verifier: { chainId: number; address: Hex } | null): Promise<Hex>
}

const TYPES = {
  DevelopmentQuote: [
    { name: 'measurement', type: 'bytes32' },
    { name: 'reportData', type: 'bytes32' },
  ],
} as const

/**
 * For development: evidence signed by a development quoting key, which `DevelopmentAttestationVerifier` accepts on
 * development chains only. The holder of that key can vouch for anything.
 */
export function createDevelopmentQuoter(measurement: Hex, quotingKey: Hex): AttestationQuoter {
  const account = privateKeyToAccount(quotingKey)
  return {
    kind: 'software',
    measurement,
    async quote(reportData, verifier) {
      const signature = await account.signTypedData({
        domain: {
          name: 'DevelopmentAttestationVerifier',
          version: '1',
          ...(verifier && { chainId: verifier.chainId, verifyingContract: verifier.address }),
        },
        types: TYPES,
        primaryType: 'DevelopmentQuote',
        message: { measurement, reportData },
      })
      return encodeAbiParameters(
        [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes' }],
        [measurement, reportData, signature],
      )
    },
  }
}
