import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/database.ts'
import { byteArray } from '../entries/stealthEntry.ts'

/** A registered wallet as deliveries on a chain reach it. */
export type Registered = {
  /** Lower case. */
  recipientAddress: Hex
  /** The chain of a wallet that is a contract; undefined for one that is a key. */
  contractOn: number | undefined
  /** Its tags, one per root, the newest first. */
  tags: Hex[]
}

/**
 * Which of these wallets are registered for deliveries on a chain: as keys, which are the same everywhere,
 * or as contracts on this very chain, since the same address may belong to somebody else on another.
 */
export async function findRegistered(
  db: Db,
  enclave: Pick<Enclave, 'tagRecipients'>,
  chainId: number,
  wallets: readonly Hex[],
): Promise<Map<Hex, Registered>> {
  const distinct = [...new Set(wallets.map((wallet) => wallet.toLowerCase() as Hex))]
  const recipients = distinct.flatMap((recipientAddress) => [
    { recipientAddress, contractOn: undefined },
    { recipientAddress, contractOn: chainId },
  ])
  const { tags } = await enclave.tagRecipients({ recipients })
  const { rows } = await sql<{ tag: Uint8Array }>`
    select tag from app.recipient where tag = any(${byteArray(tags.flat())})`.execute(db)
  const known = new Set<Hex>(rows.map(({ tag }) => bytesToHex(tag)))
  const registered = new Map<Hex, Registered>()
  for (const [position, recipient] of recipients.entries()) {
    const own = tags[position] ?? []
    // A key comes first, before any code at its address.
    if (registered.has(recipient.recipientAddress) || !own.some((tag) => known.has(tag))) continue
    registered.set(recipient.recipientAddress, { ...recipient, tags: own })
  }
  return registered
}
