import type { BridgeEvent, Hex, LogPoint } from './bridgeEvent.ts'
import { BRIDGE_LAYOUTS } from './logLayout.ts'
import { type RawLog, readLog } from './readLog.ts'

export { LogLayoutError, type RawLog } from './readLog.ts'

/** Selectors (topic 0) of the bridge's events that are folded. */
export const EVENT_SELECTORS = [...BRIDGE_LAYOUTS.keys()] as Hex[]

/**
 * The event in a bridge's log; null when it isn't one that is folded. Throws a LogLayoutError when
 * the log is not what the ABI says.
 */
export function decodeBridgeLog(log: RawLog, point: LogPoint): BridgeEvent | null {
  const read = readLog(BRIDGE_LAYOUTS, log)
  if (!read) return null
  const address = log.address.toLowerCase()
  return { type: read.type, address, point, args: read.args } as unknown as BridgeEvent
}
