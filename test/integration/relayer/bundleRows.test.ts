import { randomBytes } from 'node:crypto'
import { bytesToHex, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bindingsOf } from '../../../services/bundles/bindingsOf.ts'
import type { BundleVault } from '../../../services/bundles/bundleVault.ts'
import type { CiphertextDigests } from '../../../services/bundles/ciphertextDigests.ts'
import { deleteBundle } from '../../../services/bundles/deleteBundle.ts'
import { findBundle } from '../../../services/bundles/findBundle.ts'
import { findLatestSealed } from '../../../services/bundles/findLatestSealed.ts'
import { fixBundle } from '../../../services/bundles/fixBundle.ts'
import { forgetBundle } from '../../../services/bundles/forgetBundle.ts'
import { insertBundle } from '../../../services/bundles/insertBundle.ts'
import type { IntentTerms } from '../../../services/bundles/intentTerms.ts'
import { replaceBundle } from '../../../services/bundles/replaceBundle.ts'
import { leaveUnshielded } from '../../../services/bundles/shieldRecipients.ts'
import { storeBundle } from '../../../services/bundles/storeBundle.ts'
import { storeCreationFirst } from '../../../services/bundles/storeCreationFirst.ts'
import type { StoredBundle } from '../../../services/bundles/storedBundle.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database.ts'
import { migrate } from '../../../services/store/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** Rows of bundles under hands that judge and act at different moments. */
let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

const random = (bytes: number): Hex => bytesToHex(randomBytes(bytes))

function ciphertext(): CiphertextDigests {
  return { digest: random(32), ephemeralKeyDigest: random(32) }
}

let intents = 0n

/** A bundle of an intent of its own, or another of the same intent. */
function bundle(of: { intentId: bigint } = { intentId: ++intents }): StoredBundle {
  const { intentId } = of
  return {
    ...{ sourceChainId: 84_532, intentId, sealed: random(512), feeBps: 250, origin: 'encrypted' },
    ...{ ciphertextDigest: null, storedAt: 1 },
  }
}

const judgedAs = (judged: Hex) => ({ isAnchored: false, judged })

it('what is forgotten is what was judged; what has taken its place meanwhile stays', async () => {
  const { db } = database
  const judged = bundle()
  await insertBundle(db, judged, null)
  await forgetBundle(db, judged, judged.sealed)
  expect(await findBundle(db, judged)).toBe(null)
  const next = bundle(judged)
  await insertBundle(db, next, null)
  await forgetBundle(db, judged, judged.sealed)
  expect((await findBundle(db, judged))?.sealed).toBe(next.sealed)
})

it('an appended blob of another creation is forgotten alone', async () => {
  const { db } = database
  const own = bundle()
  await insertBundle(db, own, null)
  await fixBundle(db, own)
  const late = bundle(own)
  expect(await replaceBundle(db, late, ciphertext(), judgedAs(own.sealed))).toBe('appended')
  expect(await findLatestSealed(db, own)).toBe(late.sealed)
  await forgetBundle(db, own, late.sealed)
  expect(await findLatestSealed(db, own)).toBe(own.sealed)
})

/** An intent's terms; creations differ in their senders. */
function termsBy(user: Hex, intentId: bigint): IntentTerms {
  const token: Hex = `0x${'70'.repeat(20)}`
  return {
    ...{ sourceChainId: 84_532, intentId, user, bridge: `0x${'b0'.repeat(20)}` },
    ...{ destChainId: 2_651_420, tokenA: token, tokenB: token, auctionDuration: 60 },
    ...{ amountA: 10n, expectedAmountB: 9n, reward: 1n },
  }
}

it('a creation’s own recipients come first, and another creation’s are forgotten for them', async () => {
  const { db } = database
  const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(3)], chains: [] })
  const vault: BundleVault = {
    ...{ db, enclave, shield: leaveUnshielded },
    ...{ bridgeOn: () => null, now: () => 1 },
  }
  const intentId = ++intents
  const [gone, here] = [random(20), random(20)].map((user) => termsBy(user, intentId))
  const request = (terms: IntentTerms, recipient: Hex) => ({
    ...{ terms, contents: { recipients: [recipient], amounts: [9n] } },
    ...{ origin: 'plaintext' as const, ciphertext: null },
  })
  await storeBundle(vault, request(gone!, random(20)))
  expect(await storeCreationFirst(vault, gone!, '0x')).toBe('stored')
  expect(await storeCreationFirst(vault, here!, '0x')).toBe('none')
  expect(await findBundle(db, here!)).toBe(null)
  // The same, with a blob at the new creation.
  await storeBundle(vault, request(gone!, random(20)))
  const { blob } = await enclave.sealBlob({
    ...bindingsOf(here!),
    ...{ recipients: [random(20)], amounts: [9n], origin: 'blob', createdAt: 1 },
  })
  expect(await storeCreationFirst(vault, here!, blob)).toBe('stored')
  expect((await findBundle(db, here!))?.sealed).toBe(blob)
  // Recipients that can't be taken leave no others their place; a blob without any says nothing of it.
  const attached = async (amounts: bigint[]) => {
    const terms = termsBy(random(20), ++intents)
    const recipients = amounts.map(() => random(20))
    const sealed = await enclave.sealBlob({
      ...{ ...bindingsOf(terms), recipients, amounts, origin: 'blob', createdAt: 1 },
    })
    return storeCreationFirst(vault, terms, sealed.blob)
  }
  expect(await attached([100n])).toBe('refused')
  expect(await attached([])).toBe('none')
  // Without the sender's word nothing may be the first in strict mode; what is there may be said again.
  const unsigned = { ...request(termsBy(random(20), ++intents), random(20)), mayBeFirst: false }
  await expect(storeBundle(vault, unsigned)).rejects.toMatchObject({ code: 'SIGNATURE_REQUIRED' })
  await storeBundle(vault, { ...unsigned, mayBeFirst: true })
  expect((await storeBundle(vault, unsigned)).outcome).toBe('already')
})

it('a ciphertext whose bundle was replaced serves no more, whoever deletes what took its place', async () => {
  const { db } = database
  const first = bundle()
  const [old, fresh] = [ciphertext(), ciphertext()]
  await insertBundle(db, first, old)
  const second = bundle(first)
  expect(await replaceBundle(db, second, fresh, judgedAs(first.sealed))).toBe('replaced')
  const by = { tokenId: 'test', requestId: 'test' }
  expect(await deleteBundle(db, first, false, by)).toBe('deleted')
  const reused = insertBundle(db, first, old)
  await expect(reused).rejects.toMatchObject({ code: 'CIPHERTEXT_REUSED' })
  expect(await insertBundle(db, second, fresh)).toBe(true)
})

it('an ephemeral key serves one intent, in whichever ciphertext', async () => {
  const { db } = database
  const [own, others] = [bundle(), bundle()]
  const used = ciphertext()
  await insertBundle(db, own, used)
  const sameKey = { ...ciphertext(), ephemeralKeyDigest: used.ephemeralKeyDigest }
  await expect(insertBundle(db, others, sameKey)).rejects.toMatchObject({
    code: 'CIPHERTEXT_REUSED',
  })
  expect(await findBundle(db, others)).toBe(null)
})

it('a replacement takes the place of what was judged, and of nothing else', async () => {
  const { db } = database
  const judged = bundle()
  await insertBundle(db, judged, null)
  const [one, other] = [bundle(judged), bundle(judged)]
  expect(await replaceBundle(db, one, ciphertext(), judgedAs(judged.sealed))).toBe('replaced')
  const used = ciphertext()
  expect(await replaceBundle(db, other, used, judgedAs(judged.sealed))).toBe('changed')
  expect((await findBundle(db, judged))?.sealed).toBe(one.sealed)
  // And its ciphertext is as good as before.
  expect(await replaceBundle(db, other, used, judgedAs(one.sealed))).toBe('replaced')
})
