import type { Hex, LogPoint } from '../event/bridgeEvent.ts'

/** The parts of Ponder's event that say where and when its log was written. */
export type PonderEvent = {
  block: { number: bigint; hash: string; timestamp: bigint }
  log: { logIndex: number }
  transaction: { hash: string; from: string }
}

/** Where and when the log of a Ponder event was written. */
export function toLogPoint({ block, log, transaction }: PonderEvent, chainId: number): LogPoint {
  return {
    chainId,
    blockNumber: Number(block.number),
    blockHash: block.hash as Hex,
    blockTimestamp: Number(block.timestamp),
    logIndex: log.logIndex,
    transactionHash: transaction.hash as Hex,
    transactionFrom: transaction.from.toLowerCase() as Hex,
  }
}
