import { type RawBuilder, sql } from 'kysely'
import { hexToBytes } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Bytes as a `bytea` parameter. */
export function asBytes(hex: Hex): RawBuilder<Uint8Array> {
  return sql`${Buffer.from(hexToBytes(hex))}::bytea`
}
