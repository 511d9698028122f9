import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { checksummed } from '../../http/checksummed.ts'
import { isoTime } from '../../http/isoTime.ts'

/** An event as it is answered: addresses checksummed, the time as ISO 8601. */
export function renderEvent(event: EventRow) {
  const { type, args } = event
  const rendered: Record<string, string> = {}
  for (const [name, value] of Object.entries(args)) {
    rendered[name] = ADDRESSES.has(`${type}.${name}`) ? checksummed(value as Hex) : value
  }
  return {
    chainId: String(event.chainId),
    blockNumber: event.blockNumber,
    blockHash: event.blockHash,
    logIndex: event.logIndex,
    timestamp: isoTime(event.blockTimestamp),
    transactionHash: event.transactionHash,
    transactionFrom: checksummed(event.transactionFrom),
    type,
    args: rendered,
  }
}

/** Arguments that are addresses, as `Event.argument`. */
const ADDRESSES = new Set(
  EVENT_ABI.flatMap(({ name, inputs }) =>
    inputs.filter(({ type }) => type === 'address').map((input) => `${name}.${input.name}`),
  ),
)
