import type { Hex, LogPoint } from './bridgeEvent.ts'
import type { ChainEvent } from './chainEvent.ts'
import { decodeBridgeLog } from './decodeBridgeLog.ts'
import { decodeVaultLog } from './decodeVaultLog.ts'
import type { RawLog } from './readLog.ts'

/** The contracts of one chain that are followed. Addresses in any letter case. */
export type Contracts = {
  bridge: Hex
  /** Not every chain has one. */
  vault?: Hex | undefined
}

/**
 * The event in a log of one of a chain's contracts. The writer decides which ABI applies, because both share
 * selectors.
 */
export function decodeContractLog(
  { vault }: Contracts,
  log: RawLog,
  point: LogPoint,
): ChainEvent | null {
  const isVaults = vault !== undefined && log.address.toLowerCase() === vault.toLowerCase()
  return isVaults ? decodeVaultLog(log, point) : decodeBridgeLog(log, point)
}
