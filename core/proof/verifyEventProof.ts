import { hexToBytes } from 'viem'
import type { BridgeEvent, Hex, LogPoint } from '../../src/event/bridgeEvent.ts'
import { decodeBridgeLog } from '../../src/event/decodeBridgeLog.ts'
import { decodeReceipt } from './decodeReceipt.ts'
import { hashHeader, readHeaderNumber } from './hashHeader.ts'
import type { EventProof } from './proofDocument.ts'
import { ProofError } from './proofError.ts'
import type { ReceiptLog } from './receipt.ts'
import { verifyReceiptProof } from './verifyReceiptProof.ts'

/** An event that its block's header proves, provided that the header is the chain's. */
export type ProvenEvent = {
  /** Decoded from the proven log. `point.transactionHash`, `.transactionFrom` and `.logIndex` are only claimed. */
  event: BridgeEvent
  transactionIndex: number
  /** EIP-2718 type of the transaction's receipt. */
  receiptType: number
  logPosition: number
  parentHash: Hex
}

/**
 * Verifies one event from its document alone: the header hashes to the block's hash, the receipt is in the header's
 * receipts trie, and the log is in the receipt, comes from this bridge and is the claimed event.
 *
 * @throws ProofError naming the first failed check
 */
export async function verifyEventProof(given: EventProof, bridge: Hex): Promise<ProvenEvent> {
  const hash = hashHeader(given.header)
  if (hash !== given.blockHash) {
    throw new ProofError('HEADER_HASH_MISMATCH', `the header hashes to ${hash}`)
  }
  await verifyReceiptProof(given.header.receiptsRoot, given)
  const receipt = decodeReceipt(hexToBytes(given.receipt))
  const log = receipt.logs[given.logPosition]
  if (log === undefined) {
    throw new ProofError(
      'LOG_MISSING',
      `the receipt has ${receipt.logs.length} logs, none at ${given.logPosition}`,
    )
  }
  if (log.address !== bridge) {
    throw new ProofError('LOG_OF_ANOTHER_CONTRACT', `the log is from ${log.address}, not ${bridge}`)
  }
  return {
    event: readEvent(given, log),
    transactionIndex: given.transactionIndex,
    receiptType: receipt.type,
    logPosition: given.logPosition,
    parentHash: given.header.parentHash,
  }
}

function readEvent(given: EventProof, log: ReceiptLog): BridgeEvent {
  const { logIndex, transactionHash, transactionFrom } = given.claimed
  // A block's logs are numbered across all of its receipts.
  const possible =
    given.transactionIndex === 0 ? logIndex === given.logPosition : logIndex >= given.logPosition
  if (!possible) {
    throw new ProofError('EVENT_MISMATCH', `log ${given.logPosition} can't have index ${logIndex}`)
  }
  const event = decodeStrictly(log, {
    chainId: given.chainId,
    blockNumber: readHeaderNumber(given.header, 'number'),
    blockHash: given.blockHash,
    blockTimestamp: readHeaderNumber(given.header, 'timestamp'),
    logIndex,
    transactionHash,
    transactionFrom,
  })
  if (event === null) throw new ProofError('NOT_A_BRIDGE_EVENT', 'the log is not a bridge event')
  if (event.type !== given.type) {
    throw new ProofError('EVENT_MISMATCH', `the log is ${event.type}, not ${given.type}`)
  }
  return event
}

function decodeStrictly(log: ReceiptLog, point: LogPoint): BridgeEvent | null {
  try {
    return decodeBridgeLog(log, point)
  } catch (cause) {
    throw new ProofError('NOT_A_BRIDGE_EVENT', 'the log doesn’t have its event’s layout', { cause })
  }
}
