import type pg from 'pg'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave, ResponseOf } from '../../../enclave/enclaveInterface.ts'

/** A payment to a registered wallet, according to a blob on chain. Lower case. */
export type PaidDelivery = {
  recipientAddress: Hex
  /** The chain of a wallet that is a contract; undefined for one that is a key. */
  contractOn: number | undefined
  chainId: number
  intentId: bigint
  index: number
  /** Of the key that the blob is sealed to, whose root the Safe follows from. */
  keyId: Hex
  /** Unix seconds. */
  createdAt: number
}

/** A delivery with its address and Safe. */
export type FoundDelivery = PaidDelivery &
  NonNullable<ResponseOf<'deriveStealths'>['derived'][number]>

/** Deliveries in one question to the enclave. */
const BATCH = 500

/**
 * Has the enclave derive the addresses of deliveries again; those that it can't derive are left out.
 */
export async function findDeliveries(
  enclave: Pick<Enclave, 'deriveStealths'>,
  paid: readonly PaidDelivery[],
): Promise<FoundDelivery[]> {
  const deliveries: FoundDelivery[] = []
  for (let from = 0; from < paid.length; from += BATCH) {
    const some = paid.slice(from, from + BATCH)
    const asked = some.map(({ createdAt: _, ...delivery }) => delivery)
    const { derived } = await enclave.deriveStealths({ deliveries: asked })
    for (const [position, delivery] of some.entries()) {
      const stealth = derived[position]
      if (stealth) deliveries.push({ ...delivery, ...stealth })
    }
  }
  return deliveries
}

/** Restores deliveries and their recipients' registrations; existing entries stay. */
export async function writeDeliveries(
  client: pg.ClientBase,
  deliveries: readonly FoundDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return
  const column = <Value>(read: (delivery: FoundDelivery) => Value) => deliveries.map(read)
  const tags = column(({ tag }) => bytea(tag))
  await client.query(
    `insert into app.recipient (tag, spend_pub_key, view_pub_key, forget_at)
     select distinct tag, spend, view, 'infinity'::timestamptz
     from unnest($1::bytea[], $2::bytea[], $3::bytea[]) as paid (tag, spend, view)
     on conflict (tag) do update set forget_at = excluded.forget_at`,
    [tags, column((one) => bytea(one.spendPubKey)), column((one) => bytea(one.viewPubKey))],
  )
  await client.query(
    `insert into app.stealth_entry
       (tag, chain_id, intent_id, delivery_index, stealth_address, ephemeral_pub_key, view_tag,
        safe_address, salt_nonce, ticket, created_at)
     select * from unnest($1::bytea[], $2::bigint[], $3::numeric[], $4::integer[], $5::text[],
       $6::bytea[], $7::smallint[], $8::text[], $9::numeric[], $10::bytea[], $11::bigint[])
     on conflict do nothing`,
    [
      ...[tags, column((one) => String(one.chainId)), column((one) => String(one.intentId))],
      ...[column((one) => one.index), column((one) => one.stealthAddress)],
      ...[column((one) => bytea(one.ephemeralPubKey)), column((one) => one.viewTag)],
      ...[column((one) => one.safeAddress), column((one) => String(one.saltNonce))],
      ...[column((one) => bytea(one.ticket)), column((one) => String(one.createdAt))],
    ],
  )
}

function bytea(hex: Hex): string {
  return `\\x${hex.slice(2)}`
}
