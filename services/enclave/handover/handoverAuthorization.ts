import { isDevelopmentChain } from '../../../core/chain/developmentChains.ts'
import {
  isActiveKey,
  isListedOperator,
  readEnclaveKey,
  readOperatorCount,
} from '../../../core/proof/storage/enclaveKeyRecord.ts'
import { type ProvenStorage, StorageProofError } from '../../../core/proof/storage/storageProof.ts'
import { recoverSigner } from '../../../core/recipientBundle/recoverSigner.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import {
  readProven,
  requireDepth,
  type VerifiedStorageEvidence,
  verifyStorageEvidence,
} from '../evidence/verifyStorageEvidence.ts'
import { type OperationContext, requireRegistry } from '../operationContext.ts'
import type { CheckedStorageEvidence } from '../operationSchemas.ts'
import { buildRootHandover, hashTyped } from './handoverMessages.ts'

/** Number of a registry's operators that must sign; all of them if there are fewer. */
const OPERATORS_NEEDED = 2

/** Blocks by which evidence may be older than its required depth. The key could have been revoked since. */
const MAX_AGE_BLOCKS = 256

type RegistryEvidence = { chainId: number; evidence: CheckedStorageEvidence }

/**
 * Requires a key to be active in every decisive registry: those on production chains, or all if every chain is a
 * development chain.
 *
 * @returns the registries' proven storage by chain id
 * @throws EnclaveError `HANDOVER_REFUSED` with the reason
 */
export async function requireActiveKey(
  context: OperationContext,
  signer: Hex,
  registries: readonly RegistryEvidence[],
): Promise<Map<number, VerifiedStorageEvidence>> {
  const opened = new Map<number, VerifiedStorageEvidence>()
  for (const chainId of findDecisiveChains(context)) {
    const evidence = registries.find((one) => one.chainId === chainId)?.evidence
    if (evidence === undefined) throw refuse(`${chainId}`)
    opened.set(chainId, await openRecentRegistry(context, chainId, evidence))
  }
  for (const { storage, block } of opened.values()) {
    const key = await readProven(() => readEnclaveKey(storage, signer))
    if (!(await readProven(() => isActiveKey(storage, key, block.time)))) throw refuse('inactive')
  }
  return opened
}

/** Requires enough operators' signatures for a key in each of these registries. */
export async function requireOperatorSignatures(
  context: OperationContext,
  opened: ReadonlyMap<number, VerifiedStorageEvidence>,
  receiver: { signer: Hex; transportKey: Hex },
  approvals: readonly { chainId: number; operatorSignatures: readonly Hex[] }[],
): Promise<void> {
  for (const [chainId, { storage, block }] of opened) {
    const { registry } = requireRegistry(context, chainId)
    const hash = hashTyped(buildRootHandover({ chainId, registry }, receiver))
    const signatures = approvals.find((one) => one.chainId === chainId)?.operatorSignatures ?? []
    const signers = new Set(signatures.map((signature) => recoverSigner(hash, signature)))
    let listed = 0
    for (const signer of signers) {
      if (signer === null) continue
      if (await isProvenOperator(storage, signer, block.time)) listed += 1
    }
    const total = await readProven(() => readOperatorCount(storage))
    if (total === 0 || listed < Math.min(OPERATORS_NEEDED, total)) throw refuse('operators')
  }
}

/**
 * A registry's storage at a block that is deep but recent. Enough operators must confirm that it is recent: otherwise
 * one lying provider could hide a revocation.
 */
async function openRecentRegistry(
  context: OperationContext,
  chainId: number,
  evidence: CheckedStorageEvidence,
): Promise<VerifiedStorageEvidence> {
  const { chain, registry } = requireRegistry(context, chainId)
  const opened = await verifyStorageEvidence(context, chain, registry, evidence)
  await requireDepth(context, chain, opened.block, chain.confirmations)
  const tooHigh = opened.block.number + chain.confirmations + MAX_AGE_BLOCKS
  if (!(await context.blocks.isBelow(chain, tooHigh))) throw refuse('stale')
  return opened
}

/** An operator without proof isn't listed: its signature is ignored, and the handover goes on. */
async function isProvenOperator(
  storage: ProvenStorage,
  signer: Hex,
  time: number,
): Promise<boolean> {
  try {
    return await isListedOperator(storage, signer, time)
  } catch (error) {
    if (error instanceof StorageProofError) return false
    throw error
  }
}

function findDecisiveChains({ chains }: OperationContext): number[] {
  const all = [...chains.values()].filter(({ registry }) => registry !== undefined)
  const production = all.filter(({ chainId }) => !isDevelopmentChain(chainId))
  const decisive = production.length > 0 ? production : all
  if (decisive.length === 0) throw refuse('registries')
  return decisive.map(({ chainId }) => chainId)
}

function refuse(reason: string): EnclaveError {
  return new EnclaveError('HANDOVER_REFUSED', reason)
}
