import { type Address, encodeAbiParameters, type Hex } from 'viem'
import { enclaveKeyRegistryAbi } from '../../core/abi/enclaveKeyRegistry.ts'
import type { DevnetAccount } from '../../devnet/accounts.ts'
import { MEASUREMENT } from '../../devnet/deploy/devnetContracts.ts'
import type { EnclaveToRegister } from '../../devnet/deploy/registerEnclave.ts'
import type { DevnetClient } from '../../devnet/devnetClient.ts'
import { enclaveRegistrationTypedData } from '../../sdk/messages/enclaveRegistration.ts'

/**
 * An account that passes as an enclave through development evidence: the quoting key attests "the program MEASUREMENT
 * holds this key". It signs anything.
 */
export function createStandInEnclave(
  client: DevnetClient,
  verifier: Address,
  account: DevnetAccount,
  quoting: DevnetAccount,
): EnclaveToRegister {
  const eciesKey = account.publicKey
  return {
    signer: account.address,
    eciesKey,
    quote: async ({ chainId, registry, challenge }) => {
      const reportData = await client.readContract({
        address: registry,
        abi: enclaveKeyRegistryAbi,
        functionName: 'reportDataFor',
        args: [account.address, eciesKey, challenge],
      })
      const quote = { measurement: MEASUREMENT, reportData }
      const name = 'DevelopmentAttestationVerifier'
      const signature = await quoting.signTypedData({
        domain: { name, version: '1', chainId, verifyingContract: verifier },
        types: QUOTE_TYPES,
        primaryType: 'DevelopmentQuote',
        message: quote,
      })
      return encodeEvidence(quote, signature)
    },
    provePossession: ({ chainId, registry, ...registration }) =>
      account.signTypedData(enclaveRegistrationTypedData({ chainId, registry }, registration)),
  }
}

const QUOTE_TYPES = {
  DevelopmentQuote: [
    { name: 'measurement', type: 'bytes32' },
    { name: 'reportData', type: 'bytes32' },
  ],
} as const

function encodeEvidence(quote: { measurement: Hex; reportData: Hex }, signature: Hex): Hex {
  return encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes' }],
    [quote.measurement, quote.reportData, signature],
  )
}
