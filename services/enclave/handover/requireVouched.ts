import { signerOf } from '../../../core/bundle/signerOf.ts'
import {
  isActiveKey,
  isListedOperator,
  operatorCount,
  readEnclaveKey,
} from '../../../core/proof/storage/enclaveKey.ts'
import { type ProvenStorage, StorageProofError } from '../../../core/proof/storage/storageProof.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { isDevelopmentChain } from '../developmentChains.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type OpenedStorage, openStorage, proven, requireDepth } from '../evidence/openStorage.ts'
import type { CheckedStorageEvidence } from '../messages.ts'
import { type OperationContext, registryIn } from '../operationContext.ts'
import { hashOf, rootHandover } from './handoverMessages.ts'

/** Operators of each registry that must have signed; all, where there are fewer. */
const OPERATORS_NEEDED = 2

/** Blocks beyond its depth that evidence about a key may be old: it could have been revoked since. */
const MOST_BLOCKS_OLD = 256

type RegistryEvidence = { chainId: number; evidence: CheckedStorageEvidence }

/**
 * Requires a key to be active in every registry that counts: those of chains that are no development
 * chains, or all, if all are. Throws an EnclaveError `HANDOVER_REFUSED` that says why.
 */
export async function requireActive(
  context: OperationContext,
  signer: Hex,
  registries: readonly RegistryEvidence[],
): Promise<Map<number, OpenedStorage>> {
  const opened = new Map<number, OpenedStorage>()
  for (const chainId of countingChains(context)) {
    const given = registries.find((one) => one.chainId === chainId)
    if (given === undefined) throw refused(`${chainId}`)
    const { chain, registry } = registryIn(context, chainId)
    const at = await openStorage(context, chain, registry, given.evidence)
    await requireDepth(context, chain, at.block, chain.confirmations)
    const newest = at.block.number + chain.confirmations + MOST_BLOCKS_OLD
    if (await context.blocks.hasReached(chain, newest)) throw refused('stale')
    const key = await proven(() => readEnclaveKey(at.storage, signer))
    if (!(await proven(() => isActiveKey(at.storage, key, at.block.time))))
      throw refused('inactive')
    opened.set(chainId, at)
  }
  return opened
}

/** Requires the operators of these registries to have signed for a key. */
export async function requireOperators(
  context: OperationContext,
  opened: ReadonlyMap<number, OpenedStorage>,
  to: { signer: Hex; transportKey: Hex },
  signatures: readonly { chainId: number; operatorSignatures: readonly Hex[] }[],
): Promise<void> {
  for (const [chainId, { storage, block }] of opened) {
    const { registry } = registryIn(context, chainId)
    const hash = hashOf(rootHandover({ chainId, registry }, to))
    const given = signatures.find((one) => one.chainId === chainId)?.operatorSignatures ?? []
    const signers = new Set(given.map((signature) => signerOf(hash, signature)))
    let listed = 0
    for (const signer of signers) {
      if (signer === null) continue
      if (await isShownListed(storage, signer, block.time)) listed += 1
    }
    const all = await proven(() => operatorCount(storage))
    if (all === 0 || listed < Math.min(OPERATORS_NEEDED, all)) throw refused('operators')
  }
}

/** A key about which the proofs show nothing doesn't count. */
async function isShownListed(storage: ProvenStorage, signer: Hex, time: number): Promise<boolean> {
  try {
    return await isListedOperator(storage, signer, time)
  } catch (error) {
    if (error instanceof StorageProofError) return false
    throw error
  }
}

function countingChains({ chains }: OperationContext): number[] {
  const all = [...chains.values()].filter(({ registry }) => registry !== undefined)
  const real = all.filter(({ chainId }) => !isDevelopmentChain(chainId))
  const counting = real.length > 0 ? real : all
  if (counting.length === 0) throw refused('registries')
  return counting.map(({ chainId }) => chainId)
}

function refused(why: string): EnclaveError {
  return new EnclaveError('HANDOVER_REFUSED', why)
}
