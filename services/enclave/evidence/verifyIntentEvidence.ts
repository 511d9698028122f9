import {
  type IntentRecord,
  type Phase,
  readIntentRecord,
} from '../../../core/proof/storage/intentRecord.ts'
import type { ProvenStorage } from '../../../core/proof/storage/storageProof.ts'
import type { BundleState } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import type { BundleIntent, ReadBlob } from '../../../core/recipientBundle/findEffectiveBundle.ts'
import { hashBlobs } from '../../../core/recipientBundle/hashBlobs.ts'
import { splitBlobBytes } from '../../../core/recoveryBlob/blobLayout.ts'
import { decodePlaintext } from '../../../core/recoveryBlob/decodePlaintext.ts'
import { unpadPlaintext } from '../../../core/recoveryBlob/padPlaintext.ts'
import { BlobFormatError } from '../../../core/recoveryBlob/plaintextFormat.ts'
import { unsealBlob } from '../decryption/unsealBlob.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import { type OperationContext, requireChain } from '../operationContext.ts'
import type { CheckedIntentEvidence } from '../operationSchemas.ts'
import type { AgreedBlock } from '../providers/agreedBlocks.ts'
import { readProven, verifyBridgeEvidence } from './verifyStorageEvidence.ts'

/** An intent, proven from its source bridge's storage, with its decrypted blobs where possible. */
export type VerifiedIntentEvidence = {
  chain: EnclaveChain
  destination: EnclaveChain
  block: AgreedBlock
  storage: ProvenStorage
  record: IntentRecord
  intent: BundleIntent
  blobs: ReadBlob[]
}

/**
 * Verifies the evidence of an intent in one of these phases. Both of its chains must be configured: the enclave starts
 * nothing that it couldn't attest.
 */
export async function verifyIntentEvidence(
  context: OperationContext,
  evidence: CheckedIntentEvidence,
  phases: readonly Phase[],
): Promise<VerifiedIntentEvidence> {
  const { sourceChainId, intentId } = evidence
  const chain = requireChain(context, sourceChainId)
  const { block, storage } = await verifyBridgeEvidence(context, chain, evidence)
  const { bridge } = chain
  const record = await readProven(() =>
    readIntentRecord(storage, { chainId: sourceChainId, bridge, intentId }),
  )
  if (record === null) throw new EnclaveError('EVIDENCE_INVALID', 'intentId')
  if (!phases.includes(record.phase)) throw new EnclaveError('WRONG_PHASE', record.phase)
  if (hashBlobs(evidence.blobs) !== record.blobsHash) {
    throw new EnclaveError('EVIDENCE_INVALID', 'blobs')
  }
  const destination = requireChain(context, record.destChainId)
  const { paramsHash, sender, expectedAmountB, tokenB, recipientClass } = record
  const intent: BundleIntent = {
    sourceChainId,
    bridge,
    intentId,
    paramsHash,
    sender,
    recipientClass,
    expectedAmountB,
    tokenB,
    destinationBridge: destination.bridge,
    mode: chain.mode,
  }
  const blobs = evidence.blobs.map(({ kind, blob }) => readBlob(context, kind, blob))
  return { chain, destination, block, storage, record, intent, blobs }
}

/** The basis of an enclave's decision about the intent's bundle. */
export function toBundleState({
  intent,
  blobs,
  record,
  block,
}: VerifiedIntentEvidence): BundleState {
  const { feeBps, auctionDuration, endTime } = record
  const createdAt = endTime - auctionDuration
  const isFirm = block.time >= endTime
  return { intent, blobs, feeBps, createdAt, auctionDuration, isFirm, stored: null }
}

/** A blob's plaintext; null if it has none, since anyone can put anything on chain. */
export function readPlaintext(
  context: Pick<OperationContext, 'keyring' | 'ecies'>,
  blob: Uint8Array,
) {
  const unsealed = unsealBlob(context, blob)
  if (typeof unsealed === 'string') return null
  try {
    return decodePlaintext(unpadPlaintext(unsealed))
  } catch (error) {
    if (error instanceof BlobFormatError) return null
    throw error
  }
}

function readBlob(context: OperationContext, kind: number, blob: Uint8Array): ReadBlob {
  const keyId = splitBlobBytes(blob)?.keyId ?? null
  return { kind, keyId, contents: readPlaintext(context, blob) }
}
