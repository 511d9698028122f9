import { type Address, type Hex, parseAbi } from 'viem'
import type { RelayerClient } from './relayerClient.ts'

/** The registry doesn't know the relayer's key as an enclave's. Send it nothing. */
export class NotAnEnclaveError extends Error {
  override readonly name = 'NotAnEnclaveError'
  readonly code = 'NOT_AN_ENCLAVE'
}

/** Where an intent is created: a client of that chain (viem's will do), and its `EnclaveKeyRegistry`. */
export type RegistryOn = {
  client: { readContract(call: never): Promise<unknown> }
  registry: Address
  /** Programs that you trust, by their measurement; default: all that the registry accepts. */
  measurements?: readonly Hex[] | undefined
}

const abi = parseAbi([
  'struct EnclaveKey { address operator; uint32 activation; uint32 expiry; uint32 revocation; bytes32 measurement; uint32 generation; uint256 eciesX; uint256 eciesY; }',
  'function isActive(address signer) view returns (bool)',
  'function eciesKeyOf(address signer) view returns (bytes)',
  'function keyOf(address signer) view returns (EnclaveKey)',
])

/**
 * The key to seal recipients to (`sealBundle`, `sealCreationBlob`), checked rather than believed: an active
 * key of the chain's registry must have been registered with it, which takes evidence of an enclave and an
 * operator's signature.
 *
 * @throws NotAnEnclaveError where the registry knows no such key; RelayerError; what the client throws
 */
export async function enclaveKey(
  relayer: Pick<RelayerClient, 'eciesPublicKey' | 'attestation'>,
  { client, registry, measurements }: RegistryOn,
): Promise<Hex> {
  const [key, enclaves] = await Promise.all([relayer.eciesPublicKey(), relayer.attestation()])
  const read = (functionName: 'isActive' | 'eciesKeyOf' | 'keyOf', signer: Address) =>
    client.readContract({ address: registry, abi, functionName, args: [signer] } as never)
  for (const { keys } of enclaves) {
    const [isActive, registered, { measurement }] = (await Promise.all([
      read('isActive', keys.attester),
      read('eciesKeyOf', keys.attester),
      read('keyOf', keys.attester),
    ])) as [boolean, Hex, { measurement: Hex }]
    const isTrusted = measurements === undefined || measurements.includes(measurement)
    if (isActive && isTrusted && registered.toLowerCase() === key.toLowerCase()) return key
  }
  throw new NotAnEnclaveError(
    'the relayer’s key is in no active entry of the EnclaveKeyRegistry: send it no recipients, and ask its operator',
  )
}
