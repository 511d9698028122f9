import type { Hex, LogPoint } from './bridgeEvent.ts'
import { VAULT_LAYOUTS } from './logLayout.ts'
import { type RawLog, readLog } from './readLog.ts'
import type { VaultEvent } from './vaultEvent.ts'

/** Selectors (topic 0) of a vault's events. */
export const VAULT_SELECTORS = [...VAULT_LAYOUTS.keys()] as Hex[]

/**
 * The event in a vault's log; null when it isn't a vault's. Throws a LogLayoutError when the log is
 * not what the ABI says.
 */
export function decodeVaultLog(log: RawLog, point: LogPoint): VaultEvent | null {
  const read = readLog(VAULT_LAYOUTS, log)
  return read && ({ type: read.type, point, args: read.args } as unknown as VaultEvent)
}
