import { randomBytes } from 'node:crypto'
import { bytesToHex, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_SPONSOR_LIMITS } from '../../../services/config/sponsorLimits.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { createBundleContext } from '../../../services/relayer/recipientBundles/createBundleContext.ts'
import { storeMetadata } from '../../../services/relayer/recipientBundles/intentMetadataStore.ts'
import {
  type BundleContext,
  deleteBundle,
  findBundle,
  type StoredBundle,
} from '../../../services/relayer/recipientBundles/recipientBundleStore.ts'
import {
  type CiphertextDigests,
  saveBundleRow,
} from '../../../services/relayer/recipientBundles/saveBundleRow.ts'
import {
  type BundleToStore,
  storeBundle,
} from '../../../services/relayer/recipientBundles/storeBundle.ts'
import type { IntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import {
  type Db,
  type OpenDatabase,
  openDatabase,
} from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** Bundle rows under concurrent writers. */
let postgres: PostgresUnderTest
let database: OpenDatabase
let db: Db

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  db = database.db
  // No indexer runs here: no intent is on any chain.
  await database.pool.query(
    `create schema if not exists cairn;
     create table cairn.intent (source_chain_id bigint, intent_id numeric, params_hash text)`,
  )
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const random = (bytes: number): Hex => bytesToHex(randomBytes(bytes))
const SOURCE = 84_532

function ciphertext(): CiphertextDigests {
  return { digest: random(32), ephemeralKeyDigest: random(32) }
}

let intents = 0n

/** A bundle of an intent of its own, or another of the same creation. */
function bundle(
  of: Pick<StoredBundle, 'intentId' | 'paramsHash'> = {
    intentId: ++intents,
    paramsHash: random(32),
  },
): StoredBundle {
  const { intentId, paramsHash } = of
  return {
    sourceChainId: SOURCE,
    intentId,
    paramsHash,
    n: 1,
    sealed: random(512),
    storedAt: 1,
    isSigned: true,
    isDisputed: false,
    ciphertextDigest: null,
  }
}

it('of two bundles written at once, only one is stored', async () => {
  const [one, other] = [bundle(), bundle()]
  const same = { ...other, intentId: one.intentId, paramsHash: one.paramsHash }
  const written = await Promise.all([one, same].map((each) => saveBundleRow(db, each, null, null)))
  expect(written.toSorted()).toEqual([false, true])
})

it('a replacement replaces only the row it was judged against', async () => {
  const judged = bundle()
  await saveBundleRow(db, judged, null, null)
  const [one, other] = [bundle(judged), bundle(judged)]
  expect(await saveBundleRow(db, one, ciphertext(), judged)).toBe(true)
  const used = ciphertext()
  expect(await saveBundleRow(db, other, used, judged)).toBe(false)
  expect((await findBundle(db, judged))?.sealed).toBe(one.sealed)
  // And its ciphertext is as good as before.
  expect(await saveBundleRow(db, bundle(), used, null)).toBe(true)
})

it('a bundle and its replacement are dated by the database’s clock, as appends are', async () => {
  const clock = async () => {
    const { rows } = await database.pool.query(
      'select extract(epoch from clock_timestamp())::bigint as now',
    )
    return rows[0].now as number
  }
  const first = bundle()
  const began = await clock()
  await saveBundleRow(db, first, null, null)
  expect((await findBundle(db, first))?.storedAt).toBeGreaterThanOrEqual(began)
  await database.pool.query('update app.bundle set stored_at = 1')
  await saveBundleRow(db, bundle(first), null, first)
  expect((await findBundle(db, first))?.storedAt).toBeGreaterThanOrEqual(began)
})

it('two creations that a reorg gave the same id have bundles of their own', async () => {
  const gone = bundle()
  const here = bundle({ intentId: gone.intentId, paramsHash: random(32) })
  expect(await saveBundleRow(db, gone, null, null)).toBe(true)
  expect(await findBundle(db, here)).toBe(null)
  expect(await saveBundleRow(db, here, null, null)).toBe(true)
  expect((await findBundle(db, gone))?.sealed).toBe(gone.sealed)
  const by = { tokenId: 'test', requestId: 'test' }
  expect(await deleteBundle(db, gone, by)).toBe('deleted')
  expect(await findBundle(db, here)).toBe(null)
})

it('an ephemeral key serves only one intent, whatever the ciphertext', async () => {
  const [own, others] = [bundle(), bundle()]
  const used = ciphertext()
  await saveBundleRow(db, own, used, null)
  const sameKey = { ...ciphertext(), ephemeralKeyDigest: used.ephemeralKeyDigest }
  const reused = saveBundleRow(db, others, sameKey, null)
  await expect(reused).rejects.toMatchObject({ code: 'CIPHERTEXT_REUSED' })
  expect(await findBundle(db, others)).toBe(null)
  // Also when an operator has deleted what it was used for; that intent may have it back.
  await deleteBundle(db, own, { tokenId: 'test', requestId: 'test' })
  await expect(saveBundleRow(db, others, sameKey, null)).rejects.toMatchObject({
    code: 'CIPHERTEXT_REUSED',
  })
  expect(await saveBundleRow(db, own, used, null)).toBe(true)
})

it('a creation that a reorg gave another id takes its ciphertext along', async () => {
  const moved = bundle()
  const used = ciphertext()
  await saveBundleRow(db, moved, used, null)
  const there = bundle({ intentId: ++intents, paramsHash: moved.paramsHash })
  expect(await saveBundleRow(db, there, used, null)).toBe(true)
})

function buildTerms(): IntentTerms {
  const token: Hex = `0x${'70'.repeat(20)}`
  return {
    sourceChainId: SOURCE,
    intentId: ++intents,
    bridge: `0x${'b0'.repeat(20)}`,
    user: random(20),
    destChainId: 2_651_420,
    tokenA: token,
    tokenB: token,
    amountA: 10n,
    expectedAmountB: 9n,
    reward: 1n,
    createdAt: 1,
    auctionDuration: 60,
    paramsHash: random(32),
  }
}

async function openBundles(): Promise<BundleContext> {
  const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(3)], chains: [] })
  const safePrice = DEFAULT_SPONSOR_LIMITS
  return createBundleContext({ db, enclave, safePrice }, [], 'compat')
}

function request(
  terms: IntentTerms,
  more: Partial<BundleToStore> = {},
  mode: 'strict' | 'compat' = 'compat',
): BundleToStore {
  const { user: sender, tokenB: destinationBridge, createdAt, auctionDuration } = terms
  const intent = { ...terms, sender, destinationBridge, recipientClass: 0, mode }
  return {
    terms,
    contents: { recipients: [random(20)], amounts: [9n], n: 1, salt: random(32) },
    ciphertext: null,
    signature: null,
    now: createdAt,
    state: { intent, blobs: [], feeBps: 0, createdAt, auctionDuration, isFirm: false },
    ...more,
  }
}

it('strict mode stores no first bundle without the sender’s signature, but accepts a repeated one', async () => {
  const bundles = await openBundles()
  const unsigned = request(buildTerms(), {}, 'strict')
  await expect(storeBundle(bundles, unsigned)).rejects.toMatchObject({ code: 'SIGNATURE_REQUIRED' })
  const signed = { ...unsigned, signature: random(65) }
  expect(await storeBundle(bundles, signed)).toBe('stored')
  expect(await storeBundle(bundles, unsigned)).toBe('already')
  expect(await storeBundle(bundles, signed)).toBe('already')
})

it('a bundle stored after failed attempts in other encryptions can be repeated, and guesses stay limited', async () => {
  const terms = buildTerms()
  const first = request(terms)
  const encrypted = (more: Partial<BundleToStore> = {}) => ({
    ...first,
    ciphertext: ciphertext(),
    ...more,
  })
  const bundles = await openBundles()
  const { enclave } = bundles
  const sealBlob = () => Promise.reject(new Error('the enclave is away'))
  for (let attempt = 0; attempt < 3; attempt++) {
    const away = { ...bundles, enclave: { ...enclave, sealBlob } }
    await expect(storeBundle(away, encrypted())).rejects.toThrow('is away')
  }
  const last = encrypted()
  expect(await storeBundle(bundles, last)).toBe('stored')
  expect(await storeBundle(bundles, last)).toBe('already')
  const { contents } = request(terms)
  const codes = []
  for (let guess = 0; guess < 4; guess++)
    codes.push(await storeBundle(bundles, encrypted({ contents })).catch(({ code }) => code))
  expect(codes).toEqual(Array(4).fill('RECIPIENTS_DISPUTED'))
  // Three were compared, so no more are: not even the right one.
  await database.pool.query('delete from app.comparison')
  await expect(storeBundle(bundles, encrypted())).rejects.toMatchObject({
    code: 'RECIPIENTS_DISPUTED',
  })
})

it('when two strangers store bundles at once, neither counts until the sender signs', async () => {
  const bundles = await openBundles()
  const terms = buildTerms()
  const both = await Promise.allSettled([
    storeBundle(bundles, request(terms)),
    storeBundle(bundles, request(terms)),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await findBundle(db, terms)).toMatchObject({ isDisputed: true, isSigned: false })
  await expect(storeBundle(bundles, request(terms))).rejects.toMatchObject({
    code: 'RECIPIENTS_DISPUTED',
  })
  const senders = request(terms, { signature: random(65) })
  expect(await storeBundle(bundles, senders)).toBe('replaced')
  expect(await findBundle(db, terms)).toMatchObject({ isDisputed: false, isSigned: true })
  const late = request(terms)
  await expect(storeBundle(bundles, late)).rejects.toMatchObject({ code: 'ALREADY_STORED' })
})

it('metadata never settles a dispute about recipients', async () => {
  const bundles = await openBundles()
  const terms = buildTerms()
  const metadata = { metadata: { memo: 'rent' }, viewers: [] }
  await storeBundle(bundles, request(terms))
  const before = (await findBundle(db, terms)) as StoredBundle
  const rival = storeBundle(bundles, request(terms))
  await expect(rival).rejects.toMatchObject({ code: 'RECIPIENTS_DISPUTED' })
  await expect(storeMetadata(bundles, terms, null, metadata)).rejects.toMatchObject({
    code: 'RECIPIENTS_DISPUTED',
  })
  // A write prepared before the dispute began doesn't end it either.
  await saveBundleRow(db, before, null, before)
  expect(await findBundle(db, terms)).toMatchObject({ isDisputed: true })
  expect(await storeBundle(bundles, request(terms, { signature: random(65) }))).toBe('replaced')
})

it('a bundle’s number never decreases', async () => {
  const bundles = await openBundles()
  const terms = buildTerms()
  const numbered = (n: number) => {
    const { contents, ...rest } = request(terms, { signature: random(65) })
    return { ...rest, contents: { ...contents, n } }
  }
  const first = numbered(3)
  expect(await storeBundle(bundles, first)).toBe('stored')
  for (const n of [1, 3]) {
    await expect(storeBundle(bundles, numbered(n))).rejects.toMatchObject({
      code: 'ALREADY_STORED',
    })
  }
  expect(await storeBundle(bundles, numbered(4))).toBe('replaced')
  await expect(storeBundle(bundles, first)).rejects.toMatchObject({ code: 'ALREADY_STORED' })
})
