import { type RawBuilder, sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'

/**
 * A row of `app.stealth_entry`: the address and Safe of one delivery of an intent to a recipient.
 */
export type StealthEntry = {
  /** The recipient's tag; see the enclave's `tagRecipients`. */
  tag: Hex
  /** Where the money arrives. */
  chainId: number
  intentId: bigint
  /** 0 unless there are several of one recipient's in an intent. */
  index: number
  /** Lower case, as is `safeAddress`. */
  stealthAddress: Hex
  /** 65 bytes. */
  ephemeralPubKey: Hex
  /** 0 to 255. */
  viewTag: number
  safeAddress: Hex
  saltNonce: bigint
  /** The delivery, sealed by the enclave for itself. */
  ticket: Hex
  /** The tag of an unsigned caller that requested it; null for everyone else. */
  askedBy: Hex | null
  /** Unix seconds. */
  createdAt: number
}

/** The columns as `EntryRow` has them. */
export const ENTRY_COLUMNS = `tag, chain_id as "chainId", intent_id as "intentId",
  delivery_index as "index", stealth_address as "stealthAddress",
  ephemeral_pub_key as "ephemeralPubKey", view_tag as "viewTag", safe_address as "safeAddress",
  salt_nonce as "saltNonce", ticket, asked_by as "askedBy", created_at as "createdAt"`

/** A row as the driver gives it. */
export type EntryRow = Omit<StealthEntry, 'tag' | 'ephemeralPubKey' | 'ticket' | 'askedBy'> & {
  tag: Uint8Array
  ephemeralPubKey: Uint8Array
  ticket: Uint8Array
  askedBy: Uint8Array | null
}

/** A row in the domain's shape. */
export function toStealthEntry({
  tag,
  ephemeralPubKey,
  ticket,
  askedBy,
  ...row
}: EntryRow): StealthEntry {
  return {
    ...row,
    tag: bytesToHex(tag),
    ephemeralPubKey: bytesToHex(ephemeralPubKey),
    ticket: bytesToHex(ticket),
    askedBy: askedBy && bytesToHex(askedBy),
  }
}

/** Byte strings as one `bytea[]` parameter. */
export function byteArray(values: readonly Hex[]): RawBuilder<Uint8Array[]> {
  return sql`${`{${values.map((value) => `"\\\\x${value.slice(2)}"`).join(',')}}`}::bytea[]`
}
