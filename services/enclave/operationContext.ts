import type { ContractSignatureCheck } from './accounts/contractSignatureCheck.ts'
import type { AttestationQuoter } from './attestation/attestationQuoter.ts'
import type { MeasuredConfiguration } from './attestation/measuredConfiguration.ts'
import type { DecryptionPool } from './decryption/decryptionPool.ts'
import type { Ecies } from './ecies/eciesInterface.ts'
import type { EnclaveChain } from './enclaveChain.ts'
import { EnclaveError } from './enclaveError.ts'
import type { AttesterKeys } from './keys/attesterKeys.ts'
import type { Keyring } from './keys/keyring.ts'
import type { Roots } from './keys/rootFile.ts'
import type { CheckedRequest, OperationName, ResponseOf } from './operationSchemas.ts'
import type { AgreedBlocks } from './providers/agreedBlocks.ts'
import type { ShortestAuction } from './providers/shortestAuctionReader.ts'

/** The context of operations; nothing else gets it. */
export type OperationContext = {
  /** The roots' keys. @throws EnclaveError `NO_ROOT` while there are none */
  readonly keyring: Keyring
  readonly hasRoot: boolean
  attester: AttesterKeys
  ecies: Ecies
  /** Threads that decrypt blobs; null: this one does. */
  decryptionPool: DecryptionPool | null
  chains: ReadonlyMap<number, EnclaveChain>
  configuration: MeasuredConfiguration
  quoter: AttestationQuoter
  blocks: AgreedBlocks
  isContractSignature: ContractSignatureCheck
  shortestAuction: ShortestAuction
  /** Accepts another enclave's roots, if there are none yet. */
  acceptRoots(roots: Roots): Promise<void>
  /** Unix seconds. */
  now(): number
}

export type Handler<Name extends OperationName> = (
  context: OperationContext,
  request: CheckedRequest<Name>,
) => ResponseOf<Name> | Promise<ResponseOf<Name>>

/** @throws EnclaveError `CHAIN_NOT_CONFIGURED` */
export function requireChain(
  context: Pick<OperationContext, 'chains'>,
  chainId: number,
): EnclaveChain {
  const chain = context.chains.get(chainId)
  if (chain === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED')
  return chain
}

/** A chain's registry. @throws EnclaveError `CHAIN_NOT_CONFIGURED` */
export function requireRegistry(context: Pick<OperationContext, 'chains'>, chainId: number) {
  const chain = requireChain(context, chainId)
  const { registry } = chain
  if (registry === undefined) throw new EnclaveError('CHAIN_NOT_CONFIGURED', 'registry')
  return { chain, registry }
}
