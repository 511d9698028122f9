import { type Hex, parseAbiParameters } from 'viem'

const TYPES = { OrderKey: parseAbiParameters('bytes eciesKey') } as const

/**
 * What an enclave's attestation key signs of the key that orders are encrypted to (EIP-712), which no registry has.
 *
 * @param eciesKey 65 bytes, uncompressed
 */
export function orderKeyTypedData(eciesKey: Hex) {
  return {
    domain: { name: 'CairnEnclave', version: '1' },
    types: TYPES,
    primaryType: 'OrderKey',
    message: { eciesKey },
  } as const
}
