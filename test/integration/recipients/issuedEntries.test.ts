import type pg from 'pg'
import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { BUNDLE_INDEX } from '../../../core/settlement/calculatePayments.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { createEntryVerifier } from '../../../services/relayer/recipients/entries/entryVerifier.ts'
import {
  findEntriesOfRecipient,
  findSafes,
  type SeenEntry,
} from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import {
  deleteUnpaidEntries,
  insertEntries,
} from '../../../services/relayer/recipients/entries/stealthEntryRows.ts'
import {
  deriveEntry,
  issueAddress,
  restoreFormerAddresses,
} from '../../../services/relayer/recipients/issueAddress.ts'
import { findRecipientTickets } from '../../../services/relayer/recipients/registration/findRecipientTickets.ts'
import {
  findRegistered,
  type Registered,
  saveRecipient,
} from '../../../services/relayer/recipients/registration/registeredRecipientStore.ts'
import type { IntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

// Which addresses recipients get and see. The enclave derives all of them; no chain is needed.

const CHAIN = 84532
const SOURCE = 2651420
const WALLET: Hex = `0x${'c1'.repeat(20)}`
const THIEF: Hex = `0x${'7e'.repeat(20)}`
const KEY: Hex = `0x04${'07'.repeat(64)}`
const terms = { intentId: 5n, destChainId: CHAIN }
const stranger: Hex = `0x${'5a'.repeat(32)}`

let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client
let enclave: Enclave
const rootOf = (byte: number) => new Uint8Array(32).fill(byte)
const chains = [
  {
    chainId: CHAIN,
    providers: [],
    agreeing: 1,
    mode: 'strict' as const,
    confirmations: 1,
    maxTransactionCost: 1n,
    safe: findSafeContracts(CHAIN),
    bridge: `0x${'b1'.repeat(20)}` as Hex,
  },
]

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  enclave = await createEnclave({ roots: [rootOf(3)], chains })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})
beforeEach(async () => {
  await client.query(
    `truncate app.stealth_entry, app.recipient, app.safe_balance, app.followed_safe, app.signed cascade`,
  )
  await register()
})

/** Registers the wallet: as a contract on the given chain, otherwise as a key. */
async function register(contractOn?: number): Promise<void> {
  const { tags } = await enclave.tagRecipients({
    recipients: [{ recipientAddress: WALLET, contractOn }],
  })
  const keys = { spendPubKey: KEY, viewPubKey: KEY }
  await saveRecipient(database.db, { tags: tags.flat(), ...keys, ticket: `0x${'01'.repeat(98)}` })
}

async function findOwn(by: Enclave = enclave): Promise<Registered> {
  return (await findRegistered(database.db, by, CHAIN, [WALLET])).get(WALLET) as Registered
}

const issue = (asker: Hex | null, by: Pick<Enclave, 'tagRecipients' | 'deriveStealth'> = enclave) =>
  issueAddress(database.db, by, terms, WALLET, asker, 1)

/** Derives a delivery for the wallet and writes it. */
async function derive(index: number, intentId = terms.intentId): Promise<SeenEntry> {
  const entry = await deriveEntry(enclave, { ...terms, intentId }, await findOwn(), index, 1)
  await insertEntries(database.db, [entry])
  return { ...entry, deployedSeenAt: null, deployedForGood: false }
}

/** Writes this many other deliveries of the intent. */
async function fill(count: number, { tag, askedBy, from = 100 }: Filling): Promise<void> {
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, delivery_index, stealth_address,
       ephemeral_pub_key, view_tag, safe_address, salt_nonce, ticket, asked_by, created_at)
     select coalesce($5, sha256(n::text::bytea)), $1, $2, $6::int + n, '0x' || lpad(n::text, 40, '0'),
       decode(repeat('04', 65), 'hex'), 0, '0x' || lpad(n::text, 40, 'a'), 0, '\\x00',
       case when $4 then sha256(n::text::bytea) end, 1
     from generate_series(1, $3::int) n`,
    [CHAIN, String(terms.intentId), count, askedBy, tag ?? null, from],
  )
}
type Filling = { askedBy: boolean; tag?: Buffer; from?: number }

describe('an address of a recipient in an intent', () => {
  test('is the same each time for whoever asks, and never the bundle’s', async () => {
    const paid = await derive(BUNDLE_INDEX)
    for (const asker of [null, stranger]) {
      const first = await issue(asker)
      expect(first).toMatchObject({ askedBy: asker })
      expect(first).not.toMatchObject({ safeAddress: paid.safeAddress })
      const { ticket: _, ...same } = first as SeenEntry
      expect(await issue(asker)).toMatchObject(same)
    }
  })

  test.each([
    ['a stranger', 'for one recipient', stranger, 16],
    ['a stranger', 'for all recipients', stranger, 64],
    ['the sender', 'for all recipients', null, 200],
  ])('isn’t given to %s beyond the limit %s', async (_, which, asker, most) => {
    const { tags } = await findOwn()
    const tag = which === 'for one recipient' ? Buffer.from(tags[0]!.slice(2), 'hex') : undefined
    const filling = { askedBy: asker !== null, ...(tag && { tag }) }
    await fill(most, filling)
    expect(await issue(asker)).toBe('too_many')
    await client.query('truncate app.stealth_entry cascade')
    await fill(most - 1, filling)
    expect(await issue(asker)).toMatchObject({ intentId: terms.intentId })
  })

  test('isn’t refused because of a bundle’s deliveries', async () => {
    await fill(200, { askedBy: false, from: BUNDLE_INDEX })
    expect(await issue(null)).toMatchObject({ index: 0 })
  })

  test('fails with the enclave’s own error', async () => {
    const broken = async () => {
      throw new Error('the enclave is gone')
    }
    const tagging = { tagRecipients: enclave.tagRecipients, deriveStealth: broken as never }
    await expect(issue(null, tagging)).rejects.toThrow('the enclave is gone')
  })

  test('keeps the wallet’s registration forever, even if it registers again', async () => {
    const isKept = async () =>
      (await client.query(`select forget_at = 'infinity' as is from app.recipient`)).rows[0].is
    expect(await isKept()).toBe(false)
    await derive(BUNDLE_INDEX)
    expect(await isKept()).toBe(true)
    await register()
    expect(await isKept()).toBe(true)
  })

  test('is the key’s even if a contract is registered with the same address', async () => {
    await register(CHAIN)
    expect(await findOwn()).toMatchObject({ contractOn: undefined })
  })
})

describe('a recipient’s list', () => {
  const lies: [string, Partial<SeenEntry>][] = [
    ['stealth address', { stealthAddress: THIEF }],
    ['Safe', { safeAddress: THIEF }],
    ['key', { ephemeralPubKey: KEY }],
  ]

  test.each(lies)('shows the derived %s, whatever the row says', async (_, lie) => {
    const row = await derive(0)
    const verifier = createEntryVerifier(database.db, enclave)
    const own = [await findOwn()]
    const { ticket: _1, ...genuine } = row
    // Also once the genuine entry is cached.
    for (const isForgotten of [true, false]) {
      const forged = { ...row, ...lie, deployedSeenAt: new Date(), deployedForGood: true }
      expect(await verifier.verify(own, [forged]), String(isForgotten)).toMatchObject([genuine])
      await verifier.verify(own, [row])
    }
  })

  test('has the entries of earlier roots, derived from those roots', async () => {
    const row = await derive(0)
    const rotated = await createEnclave({ roots: [rootOf(9), rootOf(3)], chains })
    const own = await findOwn(rotated)
    expect(own.tags).toHaveLength(2)
    const verifier = createEntryVerifier(database.db, rotated)
    expect(await verifier.verify([own], [row])).toEqual([row])
  })

  test('begins with Safes that hold a listed token, or may', async () => {
    const entries = [await derive(0, 1n), await derive(0, 2n), await derive(0, 3n)] as const
    const [unread, unlisted, swept] = entries
    const rows: [SeenEntry, boolean, number | null][] = [
      [unread, true, null],
      [unlisted, false, 9],
      [swept, true, 0],
    ]
    for (const [{ safeAddress }, isListed, balance] of rows)
      await client.query(
        `insert into app.safe_balance (chain_id, safe_address, token, is_listed, first_block,
           last_block, balance) values ($1, $2, $2, $3, 1, 1, $4)`,
        [CHAIN, safeAddress, isListed, balance],
      )
    const { tags } = await findOwn()
    const after = { rank: 2, createdAt: 0, chainId: 0, safeAddress: '0x' as Hex }
    const intentsOf = async (rank: number) => {
      const { entries: page } = await findEntriesOfRecipient(database.db, tags, { ...after, rank })
      return page.map(({ intentId }) => intentId)
    }
    expect(await intentsOf(3)).toEqual([1n, 2n, 3n])
    expect(await intentsOf(2)).toEqual([2n, 3n])
    expect(await intentsOf(1)).toEqual([2n])
  })
})

test('each of a bundle’s 200 wallets has a ticket, however many roots it registered under', async () => {
  const rotated = await createEnclave({ roots: [rootOf(9), rootOf(8), rootOf(3)], chains })
  const recipients = Array.from(
    { length: 200 },
    (_, at): Hex => `0x${String(at).padStart(40, '0')}`,
  )
  const forms = [{}, { contractOn: CHAIN }]
  const { tags } = await rotated.tagRecipients({
    recipients: forms.flatMap((form) =>
      recipients.map((recipientAddress) => ({ recipientAddress, ...form })),
    ),
  })
  // The enclave doesn't look into the tickets here: each tells its root, and its wallet as a key (below 200) or a contract.
  await client.query(
    `insert into app.recipient (tag, spend_pub_key, view_pub_key, ticket)
     select decode(tag, 'hex'), decode($3, 'hex'), decode($3, 'hex'), decode(ticket, 'hex')
     from unnest($1::text[], $2::text[]) as row (tag, ticket)`,
    [
      tags.flat().map((tag) => tag.slice(2)),
      tags.flatMap((own, form) =>
        own.map((_, root) => `0${root}${String(form).padStart(4, '0')}${'00'.repeat(95)}`),
      ),
      KEY.slice(2),
    ],
  )
  const openBlob = async () => ({ ok: true, contents: { recipients } })
  const asking = { openBlob: openBlob as never, tagRecipients: rotated.tagRecipients }
  const bundle = { ...terms, sourceChainId: SOURCE } as IntentTerms
  const found = await findRecipientTickets({ db: database.db, enclave: asking }, bundle, ['0x01'])
  expect(found.wallets.size).toBe(200)
  expect([...found.wallets.values()]).not.toContainEqual({ isContract: true })
  expect(found.tickets).toHaveLength(400)
  const ofNewest = found.tickets.filter((ticket) => /^0x000[01]/.test(ticket))
  expect(new Set(ofNewest).size).toBe(200)
})

test('a sender’s Safe from before a rotation is restored', async () => {
  const { safeAddress } = (await issue(null)) as SeenEntry
  const rotated = await createEnclave({ roots: [rootOf(4), rootOf(3)], chains })
  await client.query('truncate app.stealth_entry cascade')
  await restoreFormerAddresses(database.db, rotated, terms, WALLET, 1)
  const { rows } = await client.query(
    'select safe_address, delivery_index, asked_by from app.stealth_entry',
  )
  expect(rows).toEqual([{ safe_address: safeAddress, delivery_index: 0, asked_by: null }])
})

test('200 wallets of a sender’s can be restored under each root', async () => {
  const rotated = await createEnclave({ roots: [rootOf(4), rootOf(3)], chains })
  await fill(2 * 200, { askedBy: false })
  expect(await issue(null, rotated)).toBe('too_many')
  await client.query('delete from app.stealth_entry where delivery_index > $1', [100 + 2 * 199])
  expect(await issue(null, rotated)).toMatchObject({ index: 0 })
})

test('a Safe isn’t found on another chain', async () => {
  const { safeAddress } = await derive(0)
  expect(await findSafes(database.db, CHAIN, [safeAddress])).toHaveLength(1)
  expect(await findSafes(database.db, SOURCE, [safeAddress])).toEqual([])
})

test('when an intent pays nobody, its bundle’s Safes are deleted, except those that were deployed or funded', async () => {
  const index = (at: number) => BUNDLE_INDEX + at
  const [gone, deployed, funded] = [
    await derive(index(0)),
    await derive(index(1)),
    await derive(index(2)),
  ]
  await derive(0)
  await client.query(
    'update app.stealth_entry set deployed_seen_at = now() where safe_address = $1',
    [deployed.safeAddress],
  )
  await client.query(
    `insert into app.safe_balance (chain_id, safe_address, token, is_listed, first_block, last_block)
     values ($1, $2, $2, true, 1, 1)`,
    [CHAIN, funded.safeAddress],
  )
  await client.query(
    `insert into app.followed_safe (chain_id, safe_address)
     select chain_id, safe_address from app.stealth_entry`,
  )
  // Revealed Safes may still be paid, anchored ones not.
  await client.query(
    `insert into app.signed (kind, source_chain_id, intent_id, params_hash, message, signatures, signers)
     values ('anchor', $1, 5, sha256('a'), '{}', '{}', '{}')`,
    [SOURCE],
  )
  await deleteUnpaidEntries(database.db, { ...terms, sourceChainId: SOURCE })
  for (const table of ['stealth_entry', 'followed_safe']) {
    const { rows } = await client.query(`select safe_address as safe from app.${table}`)
    expect(rows, table).toHaveLength(3)
    expect(rows.map(({ safe }) => safe)).not.toContain(gone.safeAddress)
  }
})
