import type { Hex } from '../event/bridgeEvent.ts'
import { saturatingAdd } from '../money/saturatingAdd.ts'
import { amendRow } from './rowChange.ts'
import type { Read } from './rowReader.ts'
import type { EscrowRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** What changes of what a bridge owes, in base units; negative when it owes less. */
export type EscrowDelta = Partial<Omit<EscrowRow, 'chainId' | 'token'>>

/** Books a change of what the bridge owes of one token. */
export function updateEscrow(read: Read, chainId: number, token: Hex, delta: EscrowDelta): Change {
  return amendRow(read, 'escrow', { chainId, token }, NOTHING, (row) => ({
    ...row,
    open: row.open + (delta.open ?? 0n),
    stakes: row.stakes + (delta.stakes ?? 0n),
    credits: row.credits + (delta.credits ?? 0n),
    deliveryCredits: boundedAdd(row.deliveryCredits, delta.deliveryCredits ?? 0n),
    fees: row.fees + (delta.fees ?? 0n),
  }))
}

const NOTHING = { open: 0n, stakes: 0n, credits: 0n, deliveryCredits: 0n, fees: 0n }

/**
 * Any token can be delivered, even one that lies about transfers: what is owed in such a token
 * means nothing, but must fit its column.
 */
function boundedAdd(sum: bigint, delta: bigint): bigint {
  const total = saturatingAdd(sum, delta)
  return total < 0n ? 0n : total
}
