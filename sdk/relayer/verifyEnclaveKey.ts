import { type Address, type Hex, parseAbi } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import type { RelayerClient } from './relayerClient.ts'

/** The registry has no enclave with the relayer's key. Send that relayer nothing. */
export class NotAnEnclaveError extends CairnError {
  override readonly name = 'NotAnEnclaveError'

  constructor(message: string) {
    super('NOT_AN_ENCLAVE', message)
  }
}

/** The intent's source chain: a client for it (such as viem's), and its `EnclaveKeyRegistry`. */
export type RegistryOn = {
  client: { readContract(call: never): Promise<unknown> }
  registry: Address
  /** Measurements of the programs you trust; default: all the registry accepts. */
  measurements?: readonly Hex[] | undefined
}

const abi = parseAbi([
  'struct EnclaveKey { address operator; uint32 activation; uint32 expiry; uint32 revocation; bytes32 measurement; uint32 generation; uint256 eciesX; uint256 eciesY; }',
  'function isActive(address signer) view returns (bool)',
  'function eciesKeyOf(address signer) view returns (bytes)',
  'function keyOf(address signer) view returns (EnclaveKey)',
])

/**
 * The key to seal recipients to (`sealBundle`, `sealCreationBlob`), verified: an active key of the chain's registry must have
 * been registered with it, which takes evidence from an enclave and an operator's signature.
 *
 * @throws NotAnEnclaveError when the registry has no such key; RelayerError; the client's errors
 */
export async function enclaveKey(
  relayer: Pick<RelayerClient, 'eciesPublicKey' | 'attestation'>,
  { client, registry, measurements }: RegistryOn,
): Promise<Hex> {
  const [key, enclaves] = await Promise.all([relayer.eciesPublicKey(), relayer.attestation()])
  const read = (functionName: 'isActive' | 'eciesKeyOf' | 'keyOf', signer: Address) =>
    client.readContract({ address: registry, abi, functionName, args: [signer] } as never)
  const trusted = measurements?.map((one) => one.toLowerCase())
  for (const { keys } of enclaves) {
    const [isActive, registered, { measurement }] = (await Promise.all([
      read('isActive', keys.attester),
      read('eciesKeyOf', keys.attester),
      read('keyOf', keys.attester),
    ])) as [boolean, Hex, { measurement: Hex }]
    const isTrusted = !trusted || trusted.includes(measurement.toLowerCase())
    if (isActive && isTrusted && registered.toLowerCase() === key.toLowerCase()) return key
  }
  throw new NotAnEnclaveError(
    'the EnclaveKeyRegistry has no active enclave with the relayer’s key: send no recipients, and ask the relayer’s operator',
  )
}
