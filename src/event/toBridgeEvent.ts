import type { BridgeEvent, EventType, Hex, LogPoint } from './bridgeEvent.ts'
import { EVENT_FIELDS } from './eventFields.ts'

/** A log that some library has decoded already. */
export type DecodedLog = {
  type: EventType
  /** The contract that wrote it. */
  address: string
  /** Arguments by name; addresses in any letter case. */
  args: Readonly<Record<string, unknown>>
  point: LogPoint
}

/** A decoded log as the domain has it: hex in lower case, nothing but the event's own arguments. */
export function toBridgeEvent({ type, address, args, point }: DecodedLog): BridgeEvent {
  const own: Record<string, unknown> = {}
  for (const { name, kind } of EVENT_FIELDS[type]) {
    own[name] = kind === 'hex' ? String(args[name]).toLowerCase() : args[name]
  }
  return { type, address: address.toLowerCase() as Hex, point, args: own } as BridgeEvent
}
