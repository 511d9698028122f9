import {
  type ProvenStorage,
  StorageProofError,
  verifyStorageProof,
} from '../../../core/proof/storage/storageProof.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { OperationContext } from '../operationContext.ts'
import type { CheckedStorageEvidence } from '../operationSchemas.ts'
import type { AgreedBlock } from '../providers/agreedBlocks.ts'

/** A contract's storage at a block on which the chain's providers agree. */
export type VerifiedStorageEvidence = { block: AgreedBlock; storage: ProvenStorage }

/**
 * Verifies evidence about a contract: the enclave's own providers confirm the block, and its state root proves the
 * rest.
 */
export async function verifyStorageEvidence(
  context: OperationContext,
  chain: EnclaveChain,
  contract: Hex,
  evidence: CheckedStorageEvidence,
): Promise<VerifiedStorageEvidence> {
  const block = await context.blocks.block(chain, evidence.blockNumber)
  const storage = await readProven(() => verifyStorageProof(block.stateRoot, contract, evidence))
  return { block, storage }
}

/** The same for a chain's bridge, which must have the configured code. */
export async function verifyBridgeEvidence(
  context: OperationContext,
  chain: EnclaveChain,
  evidence: CheckedStorageEvidence,
): Promise<VerifiedStorageEvidence> {
  const opened = await verifyStorageEvidence(context, chain, chain.bridge, evidence)
  if (chain.bridgeCodeHash !== undefined && opened.storage.codeHash !== chain.bridgeCodeHash) {
    throw new EnclaveError('EVIDENCE_INVALID', 'bridgeCodeHash')
  }
  return opened
}

/** Requires this many confirmations of a block. @throws EnclaveError `NOT_CONFIRMED` */
export async function requireDepth(
  { blocks }: OperationContext,
  chain: EnclaveChain,
  block: AgreedBlock,
  confirmations: number,
): Promise<void> {
  if (confirmations > 0 && !(await blocks.isBuried(chain, block, confirmations))) {
    throw new EnclaveError('NOT_CONFIRMED')
  }
}

/** Reads proven storage; reading what isn't proven is `EVIDENCE_INVALID`. */
export async function readProven<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof StorageProofError) throw new EnclaveError('EVIDENCE_INVALID', 'proof')
    throw error
  }
}
