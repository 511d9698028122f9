import type { Hex, LogPoint } from './bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from './chainEvent.ts'
import { EVENT_FIELDS, isVaultEvent } from './eventFields.ts'

/** A log that some library has decoded already. */
export type DecodedLog = {
  type: ChainEventType
  /** The contract that wrote it. */
  address: string
  /** Arguments by name; addresses in any letter case. */
  args: Readonly<Record<string, unknown>>
  point: LogPoint
}

/** A decoded log as the domain has it: hex in lower case, nothing but the event's own arguments. */
export function toChainEvent({ type, address, args, point }: DecodedLog): ChainEvent {
  const own: Record<string, unknown> = {}
  for (const { name, kind } of EVENT_FIELDS[type]) {
    own[name] = kind === 'hex' ? String(args[name]).toLowerCase() : args[name]
  }
  if (isVaultEvent(type)) return { type, point, args: own } as unknown as ChainEvent
  return { type, address: address.toLowerCase() as Hex, point, args: own } as unknown as ChainEvent
}
