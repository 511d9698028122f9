import type { PushedLog } from '../../../core/push/pushEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'

/** A log as receivers get it. */
export function logOf(event: Pick<ChainEvent, 'type' | 'point'> | null): PushedLog | null {
  if (event === null) return null
  const { chainId, blockNumber, blockHash, logIndex, transactionHash } = event.point
  return {
    type: event.type,
    chainId: String(chainId),
    blockNumber,
    blockHash,
    logIndex,
    transactionHash,
  }
}

/** Unix seconds as ISO 8601. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
