import { parseChainId } from '../chain/parseChainId.ts'
import type { Hex } from '../event/bridgeEvent.ts'
import type { ChainEvent } from '../event/chainEvent.ts'
import { argsFromJson, argsToJson } from '../event/eventArgsJson.ts'
import { isVaultEvent } from '../event/eventFields.ts'
import type { EventRow } from './rowTypes.ts'

/** The intent that an event is about. */
type Concerned = Pick<EventRow, 'sourceChainId' | 'intentId'>

/**
 * The append-only row of an event.
 *
 * @param about the intent that it is about, where the event itself doesn't say
 */
export function toEventRow(event: ChainEvent, about: Concerned = concerned(event)): EventRow {
  const { point, type } = event
  return {
    chainId: point.chainId,
    blockNumber: point.blockNumber,
    logIndex: point.logIndex,
    blockHash: point.blockHash,
    blockTimestamp: point.blockTimestamp,
    transactionHash: point.transactionHash,
    transactionFrom: point.transactionFrom,
    type,
    sourceChainId: about.sourceChainId,
    intentId: about.intentId,
    args: argsToJson(type, event.args),
  }
}

/**
 * The event that a row was written from, so that it can be folded again.
 * `bridge` is the address of that chain's bridge, which rows don't repeat.
 */
export function fromEventRow(row: EventRow, bridge: Hex): ChainEvent {
  const point = {
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockHash: row.blockHash,
    blockTimestamp: row.blockTimestamp,
    logIndex: row.logIndex,
    transactionHash: row.transactionHash,
    transactionFrom: row.transactionFrom,
  }
  const args = argsFromJson(row.type, row.args)
  if (isVaultEvent(row.type)) return { type: row.type, point, args } as ChainEvent
  return { type: row.type, address: bridge, point, args } as ChainEvent
}

/** The intent that an event is about. A delivery for a source chain that can't exist is about none. */
function concerned(event: ChainEvent): Concerned {
  if (!('intentId' in event.args)) return { sourceChainId: null, intentId: null }
  if (event.type !== 'IntentSolved') {
    return { sourceChainId: event.point.chainId, intentId: event.args.intentId }
  }
  const sourceChainId = parseChainId(event.args.sourceChainId)
  return { sourceChainId, intentId: sourceChainId === null ? null : event.args.intentId }
}
