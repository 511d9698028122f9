import type { BridgeEvent } from '../../src/event/bridgeEvent.ts'
import { ProofError } from './proofError.ts'
import type { ProvenEvent } from './verifyEventProof.ts'

/**
 * Sorts proven events into each chain's order and checks that they can belong to one history: no event twice, one block
 * per height, neighbours linked by their parent hash, time never decreasing.
 *
 * @throws ProofError `EVENT_REPEATED` or `HEADERS_CONFLICT`
 */
export function sortProvenEvents(events: readonly ProvenEvent[]): ProvenEvent[] {
  const ordered = events.toSorted(compare)
  for (const [index, later] of ordered.entries()) {
    const earlier = ordered[index - 1]
    if (earlier !== undefined && chainOf(earlier) === chainOf(later)) checkStep(earlier, later)
  }
  return ordered
}

function compare(a: ProvenEvent, b: ProvenEvent): number {
  return (
    chainOf(a) - chainOf(b) ||
    a.event.point.blockNumber - b.event.point.blockNumber ||
    a.transactionIndex - b.transactionIndex ||
    a.logPosition - b.logPosition
  )
}

function checkStep(earlier: ProvenEvent, later: ProvenEvent): void {
  const a = earlier.event.point
  const b = later.event.point
  if (a.blockNumber === b.blockNumber) {
    if (a.blockHash !== b.blockHash) throw conflict(later.event, 'two blocks have this number')
    if (compare(earlier, later) === 0) {
      throw new ProofError('EVENT_REPEATED', `${later.event.type} appears twice`)
    }
    return
  }
  if (b.blockNumber === a.blockNumber + 1 && later.parentHash !== a.blockHash) {
    throw conflict(later.event, 'its parent is not the previous block')
  }
  if (b.blockTimestamp < a.blockTimestamp) {
    throw conflict(later.event, 'it is older than an earlier block')
  }
}

function chainOf(proven: ProvenEvent): number {
  return proven.event.point.chainId
}

function conflict(event: BridgeEvent, reason: string): ProofError {
  const { chainId, blockNumber } = event.point
  return new ProofError('HEADERS_CONFLICT', `block ${blockNumber} of chain ${chainId}: ${reason}`)
}
