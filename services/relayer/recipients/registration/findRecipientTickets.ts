import { sql } from 'kysely'
import type { Tickets } from '../../../../core/recipientBundle/findRegisteredRecipients.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave, OpenedBlob } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { blobBindingsOf, type IntentTerms } from '../../terms/intentTerms.ts'
import { findSafes } from '../entries/findStealthEntries.ts'
import { byteArray, keepRecipients } from './registeredRecipientStore.ts'

/** Dependencies of finding tickets. */
type TicketContext = {
  db: Db
  enclave: Pick<Enclave, 'openBlob' | 'tagRecipients'>
}

/** The enclave's limit. */
const MOST = 400

/** The enclave's tickets, what they say according to the database, and the blobs opened for that, in their order. */
type FoundTickets = Tickets & { tickets: Hex[]; opened: (OpenedBlob | null)[] }

/**
 * Finds the enclave's own tickets of the recipients in some blobs: of registered wallets, and of deliveries whose Safes
 * are recipients. These wallets are never deleted from now on. If a row is missing, the wallet is paid directly; the
 * enclave ignores an invented one.
 */
export async function findRecipientTickets(
  { db, enclave }: TicketContext,
  terms: IntentTerms,
  blobs: readonly Hex[],
): Promise<FoundTickets> {
  const { rows } = await sql<{ isAny: boolean }>`select exists (select from app.recipient)
    or exists (select from app.stealth_entry where chain_id = ${terms.destChainId}::bigint)
    as "isAny"`.execute(db)
  const none = { tickets: [], wallets: new Map(), safes: new Set<Hex>(), opened: [] }
  if (!rows[0]?.isAny) return none
  const opened = await openAll(enclave, terms, blobs)
  const named = [...new Set(opened.flatMap((one) => (one?.ok ? one.contents.recipients : [])))]
  if (named.length === 0) return { ...none, opened }
  const recipients = named.flatMap((recipientAddress) => [
    { recipientAddress },
    { recipientAddress, contractOn: terms.destChainId },
  ])
  const owners = new Map<Hex, (typeof recipients)[number]>()
  for (let from = 0; from < recipients.length; from += 1_000) {
    const some = recipients.slice(from, from + 1_000)
    const { tags } = await enclave.tagRecipients({ recipients: some })
    for (const [position, own] of tags.entries())
      for (const tag of own) owners.set(tag, some[position]!)
  }
  const tags = [...owners.keys()]
  await keepRecipients(db, tags)
  const registered = await sql<{ tag: Hex; ticket: Hex }>`
    select tag, ticket from app.recipient
    where ticket is not null and tag = any(${byteArray(tags)}) limit ${MOST}`.execute(db)
  const wallets = new Map(
    registered.rows.flatMap(({ tag }) => {
      const owner = owners.get(tag)
      return owner ? [[owner.recipientAddress, { isContract: 'contractOn' in owner }]] : []
    }),
  )
  const safes = await findSafes(db, terms.destChainId, named)
  const tickets = [...registered.rows, ...safes].map(({ ticket }) => ticket).slice(0, MOST)
  return { tickets, wallets, safes: new Set(safes.map(({ safeAddress }) => safeAddress)), opened }
}

function openAll(
  enclave: TicketContext['enclave'],
  terms: IntentTerms,
  blobs: readonly Hex[],
): Promise<(OpenedBlob | null)[]> {
  const expected = blobBindingsOf(terms)
  return Promise.all(
    blobs.map(async (blob) => (blob === '0x' ? null : enclave.openBlob({ blob, expected }))),
  )
}
