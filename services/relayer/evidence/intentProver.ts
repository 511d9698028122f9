import { numberToHex, toEventSelector } from 'viem'
import { decodeRecordHead } from '../../../core/proof/storage/intentRecord.ts'
import { listIntentSlots, listRecordSlots } from '../../../core/proof/storage/storageSlots.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeBridgeLog } from '../../../src/event/decodeBridgeLog.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import { foldBlobsHash, NO_BLOBS } from '../../../src/event/foldBlobsHash.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { readAllLogs } from '../../chain/history/readLogs.ts'
import type { ChainLog } from '../../chain/history/rpcSchemas.ts'
import type {
  ProofMode,
  ProvenSlots,
  StorageProofReader,
} from '../../chain/proof/storageProofReader.ts'
import type { RpcRequest } from '../../chain/rpcPool/provider.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { RequestOf } from '../../enclave/enclaveInterface.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { type BlobOnChain, blobOfEvent, loadIndexedBlobs } from '../terms/loadIndexedBlobs.ts'
import { dropEvidence } from './evidenceRows.ts'
import {
  type ConfirmedStorageEvidence,
  findConfirmedStorageEvidence,
} from './findConfirmedStorageEvidence.ts'

/** An intent as its bridge stores it, with its blobs, in the enclave's format. */
type IntentEvidence = RequestOf<'revealToWinner'>['intent']

/** Proves the intents of one source chain. */
export type IntentProver = {
  /**
   * At the head. Null if its node has no block from `from` on, or its bridge no such intent there: the node, which is
   * behind the index or lies, is doubted.
   *
   * @param from the first block that shows what the index shows
   * @param mode `unchecked` if the receiver reports an invalid proof and it can be fetched again
   * @throws RpcError BlobsMissingError
   */
  atHead(source: SourceFacts, from: number, mode?: ProofMode): Promise<IntentEvidence | null>
  /**
   * At a block that is deep enough and not before `from`; with the winner's sealing key.
   *
   * @param head the chain's, as known to the caller
   * @throws RpcError
   */
  deep(
    source: SourceFacts,
    where: { from: number; head: number; depth: number },
  ): Promise<
    { is: 'deep'; evidence: IntentEvidence } | Extract<ConfirmedStorageEvidence, { is: 'early' }>
  >
  /** Deletes stored evidence that has become useless, and doubts its node. */
  forget(source: SourceFacts, evidence?: IntentEvidence): Promise<void>
}

/** A chain's nodes have no blobs that hash to the contract's commitment. */
class BlobsMissingError extends Error {
  override name = 'BlobsMissingError'
  readonly code = 'BLOBS_MISSING'
}

export function createIntentProver(
  { db, pool, reader }: { db: Db; pool: RpcPool; reader: StorageProofReader },
  bridge: Hex,
): IntentProver {
  /**
   * Positions in the contract's lists never change, so they are read once per token and destination. A node may have
   * returned a false one: `forget` clears them.
   */
  const tokens = new Map<Hex, number>()
  const destinations = new Map<number, number>()

  async function slotsOf(source: SourceFacts, solver?: Hex): Promise<Hex[] | null> {
    const { intentId, tokenA, destChainId } = source
    if (!tokens.has(tokenA) || !destinations.has(destChainId)) {
      const slot = listRecordSlots(intentId)[0] as Hex
      const { evidence, values } = await reader.prove([slot], 'latest')
      const head = decodeRecordHead(values.get(slot) ?? 0n)
      if (head === null || head.phase === 'none') {
        reader.doubt(evidence)
        return null
      }
      tokens.set(tokenA, head.tokenIndex)
      destinations.set(destChainId, head.destinationIndex)
    }
    const tokenIndex = tokens.get(tokenA) as number
    const destinationIndex = destinations.get(destChainId) as number
    return listIntentSlots({ intentId, tokenIndex, destinationIndex, solver })
  }

  async function withBlobs(
    source: SourceFacts,
    evidence: ProvenSlots['evidence'],
    blobsHash: Hex,
  ): Promise<IntentEvidence> {
    const { sourceChainId, intentId, createdBlock } = source
    const indexed = foldingTo(blobsHash, await loadIndexedBlobs(db, source))
    const blobs =
      indexed ??
      (await askBlobs(pool, {
        bridge,
        intentId,
        from: createdBlock,
        to: evidence.blockNumber,
        counts: (found) => foldingTo(blobsHash, found),
      }))
    if (blobs === null) throw new BlobsMissingError('no node has the intent’s blobs')
    return { ...evidence, sourceChainId, intentId, blobs: [...blobs] }
  }

  return {
    async atHead(source, from, mode) {
      const slots = await slotsOf(source)
      if (slots === null) return null
      const { evidence, values } = await reader.prove(slots, 'latest', mode)
      // Shown an earlier block, an enclave might refuse for good what was named since.
      if (evidence.blockNumber < from || (values.get(slots[0] as Hex) ?? 0n) === 0n) {
        reader.doubt(evidence)
        return null
      }
      return withBlobs(source, evidence, wordAsHash(values.get(slots[BLOBS_HASH] as Hex)))
    },
    async deep(source, where) {
      const slots = await slotsOf(source, source.solver ?? undefined)
      if (slots === null) return { is: 'early', missingBlocks: where.depth }
      const found = await findConfirmedStorageEvidence(db, reader, {
        ...keyOf(source),
        ...where,
        slots,
      })
      if (found.is === 'early') return found
      // From firmAt on, long before any deposit, nothing is added to it.
      return { is: 'deep', evidence: await withBlobs(source, found.evidence, source.blobsHash) }
    },
    async forget(source, evidence) {
      reader.doubt(evidence)
      tokens.clear()
      destinations.clear()
      await dropEvidence(db, keyOf(source))
    },
  }
}

/** Position of `blobsHash` among a record's slots. */
const BLOBS_HASH = 4

function keyOf({ sourceChainId, intentId }: SourceFacts) {
  return { chainId: sourceChainId, subject: `intent:${intentId}` }
}

function wordAsHash(word = 0n): Hex {
  return `0x${word.toString(16).padStart(64, '0')}`
}

/** The first of these blobs that hash to the contract's commitment; null if none do. */
function foldingTo(blobsHash: Hex, blobs: readonly BlobOnChain[]): readonly BlobOnChain[] | null {
  let hash = NO_BLOBS
  for (const [position, { kind, blob }] of blobs.entries()) {
    if (hash === blobsHash) return blobs.slice(0, position)
    hash = foldBlobsHash(hash, kind, blob)
  }
  return hash === blobsHash ? blobs : null
}

type BlobsRequest = {
  bridge: Hex
  intentId: bigint
  /** Block numbers, both included. */
  from: number
  to: number
  /** Selects the blobs that count from a node's logs; null if one is missing. */
  counts: (found: readonly BlobOnChain[]) => readonly BlobOnChain[] | null
}

const BLOB_EVENTS = ['IntentCreated', 'IntentAnchored', 'BlobAppended'] as const

/** Milliseconds for one answer. */
const TIMEOUT_MS = 5_000

/**
 * Reads an intent's blobs from the chain's nodes, one after the other, until one has those that count, for when a
 * node's false answer put others into the index. Null if none has them.
 */
async function askBlobs(
  pool: RpcPool,
  { bridge: address, intentId, from, to, counts }: BlobsRequest,
): Promise<readonly BlobOnChain[] | null> {
  const topics = [BLOB_EVENTS.map(selectorOf), numberToHex(intentId, { size: 32 })]
  for (const provider of pool.trusted()) {
    const ask = async (requests: readonly RpcRequest[]) => {
      return { answers: await provider.send(requests, { timeoutMs: TIMEOUT_MS }), provider }
    }
    const asked = readAllLogs(ask, { filters: [{ address, topics }], from, to })
    const found = await asked.catch((): ChainLog[] => [])
    const blobs = counts(found.flatMap(blobOfLog))
    if (blobs !== null) return blobs
  }
  return null
}

function blobOfLog(log: ChainLog): BlobOnChain[] {
  const event = decodeBridgeLog(log, {
    chainId: 0,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    blockTimestamp: 0,
    logIndex: log.logIndex,
    transactionHash: log.transactionHash,
    transactionFrom: '0x',
  })
  return event === null ? [] : blobOfEvent(event)
}

function selectorOf(name: (typeof BLOB_EVENTS)[number]): Hex {
  return toEventSelector(EVENT_ABI.find((item) => item.name === name) as never)
}
