import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/database.ts'
import { blobBindingsOf, type IntentTerms } from '../../terms/intentTerms.ts'
import { findSafes } from '../entries/findEntries.ts'
import { byteArray, keepRecipients } from './registeredRecipientStore.ts'

/** Dependencies of finding tickets. */
type TicketContext = {
  db: Db
  enclave: Pick<Enclave, 'openBlob' | 'tagRecipients'>
}

/** The enclave's limit. */
const MOST = 400

/**
 * Finds the enclave's own tickets of the recipients in some blobs: of registered wallets, and of deliveries whose Safes
 * are recipients. These wallets are never deleted from now on. If a row is missing, the wallet is paid directly; the
 * enclave ignores an invented one.
 */
export async function findTickets(
  { db, enclave }: TicketContext,
  terms: IntentTerms,
  blobs: readonly Hex[],
): Promise<Hex[]> {
  const { rows } = await sql<{ isAny: boolean }>`select exists (select from app.recipient)
    or exists (select from app.stealth_entry where chain_id = ${terms.destChainId}::bigint)
    as "isAny"`.execute(db)
  if (!rows[0]?.isAny) return []
  const named = await recipientsIn(enclave, terms, blobs)
  if (named.length === 0) return []
  const recipients = named.flatMap((recipientAddress) => [
    { recipientAddress },
    { recipientAddress, contractOn: terms.destChainId },
  ])
  const tags: Hex[] = []
  for (let from = 0; from < recipients.length; from += 1_000) {
    const some = recipients.slice(from, from + 1_000)
    tags.push(...(await enclave.tagRecipients({ recipients: some })).tags.flat())
  }
  await keepRecipients(db, tags)
  const wallets = await sql<{ ticket: Uint8Array }>`
    select ticket from app.recipient where ticket is not null and tag = any(${byteArray(tags)})
    limit ${MOST}`.execute(db)
  const safes = await findSafes(db, terms.destChainId, named)
  return [
    ...wallets.rows.map(({ ticket }) => bytesToHex(ticket)),
    ...safes.map(({ ticket }) => ticket),
  ].slice(0, MOST)
}

async function recipientsIn(
  enclave: TicketContext['enclave'],
  terms: IntentTerms,
  blobs: readonly Hex[],
): Promise<Hex[]> {
  const expected = blobBindingsOf(terms)
  const opened = await Promise.all(
    blobs.filter((blob) => blob !== '0x').map((blob) => enclave.openBlob({ blob, expected })),
  )
  return [...new Set(opened.flatMap((one) => (one.ok ? one.contents.recipients : [])))]
}
