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
  const on = { client, registry, measurements }
  for (const { keys } of enclaves) {
    const registered = await findActiveKey(on, keys.attester)
    if (registered?.toLowerCase() === key.toLowerCase()) return key
  }
  throw new NotAnEnclaveError(
    'the EnclaveKeyRegistry has no active enclave with the relayer’s key: send no recipients, and ask its operator',
  )
}

/** The ECIES key of an enclave's attestation key in the registry; null unless that is active, and its program trusted. */
export async function findActiveKey(
  { client, registry, measurements }: RegistryOn,
  attester: Address,
): Promise<Hex | null> {
  const read = (functionName: 'isActive' | 'eciesKeyOf' | 'keyOf') =>
    client.readContract({ address: registry, abi, functionName, args: [attester] } as never)
  const [isActive, registered, { measurement }] = (await Promise.all([
    read('isActive'),
    read('eciesKeyOf'),
    read('keyOf'),
  ])) as [boolean, Hex, { measurement: Hex }]
  const trusted = measurements?.map((one) => one.toLowerCase())
  const isTrusted = !trusted || trusted.includes(measurement.toLowerCase())
  return isActive && isTrusted ? registered : null
}
