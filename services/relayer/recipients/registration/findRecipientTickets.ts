import { sql } from 'kysely'
import type { Tickets } from '../../../../core/recipientBundle/findRegisteredRecipients.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Enclave, OpenedBlob } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { blobBindingsOf, type IntentTerms } from '../../terms/intentTerms.ts'
import { findSafes } from '../entries/findStealthEntries.ts'
import { byteArray, keepRecipients } from './registeredRecipientStore.ts'

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
  const tagsOf: Hex[][] = []
  for (let from = 0; from < recipients.length; from += 1_000) {
    const some = recipients.slice(from, from + 1_000)
    tagsOf.push(...(await enclave.tagRecipients({ recipients: some })).tags)
  }
  const tags = tagsOf.flat()
  await keepRecipients(db, tags)
  const { rows: registered } = await sql<{ tag: Hex; ticket: Hex }>`
    select tag, ticket from app.recipient
    where ticket is not null and tag = any(${byteArray(tags)})`.execute(db)
  const ticketOf = new Map(registered.map(({ tag, ticket }) => [tag, ticket]))
  const wallets = new Map<Hex, { isContract: boolean }>()
  const newest: Hex[] = []
  const former: Hex[] = []
  for (const [position, own] of tagsOf.entries()) {
    const found = own.flatMap((tag) => ticketOf.get(tag) ?? [])
    const recipient = recipients[position]!
    const { recipientAddress } = recipient
    const [first] = found
    // As in the enclave: a wallet's registration as a key takes precedence over its registration as a contract.
    if (first !== undefined && !wallets.has(recipientAddress)) {
      wallets.set(recipientAddress, { isContract: 'contractOn' in recipient })
      newest.push(first)
      found.shift()
    }
    former.push(...found)
  }
  const safes = await findSafes(db, terms.destChainId, named)
  // Each wallet's newest ticket first, those of former roots last: the enclave takes only so many, and a wallet without
  // one would be paid in public.
  const tickets = [...newest, ...safes.map(({ ticket }) => ticket), ...former].slice(0, MOST)
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
