import { decrypt, PrivateKey } from 'eciesjs'
import { bytesToHex, encodeFunctionData, type Hex, hexToBytes } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deriveStealthKeyTypedData } from '../../../sdk/messages/recipientTypedData.ts'
import { createRelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { deleteUnpaidEntries } from '../../../services/relayer/recipients/entries/stealthEntryRows.ts'
import { recoverIntoDatabase } from '../../../services/relayer/recovery/recoverDatabase.ts'
import { buildRecoveryCertificate } from '../../../services/relayer/recovery/recoveryCertificate.ts'
import { findSignedStatement } from '../../../services/relayer/settlement/signedStatements.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { TEST_ROOT } from '../reactions/relayerRig.ts'
import { describeForgedRows } from './describeForgedRows.ts'
import { describeGenerateStealth } from './describeGenerateStealth.ts'
import { describeRecipientRegistration } from './describeRecipientRegistration.ts'
import { issueEntries } from './issueEntries.ts'
import {
  type Api,
  addressesOf,
  BASE,
  closeTestbed,
  compat,
  create,
  feeOf,
  generate,
  HORIZEN,
  leastAmount,
  openApi,
  openTestbed,
  other,
  plain,
  readOwedRecipients,
  register,
  restartReactions,
  rig,
  store,
  strict,
  wallet,
  walletOf,
} from './recipientsTestbed.ts'

beforeAll(openTestbed)
afterAll(closeTestbed)

describeRecipientRegistration()
describeGenerateStealth()
describeForgedRows()

/** The Safes of one intent that the relayer lists for the wallet. */
async function listedOf(id: bigint): Promise<string[]> {
  const all = await addressesOf(compat, wallet)
  return all.filter(({ intentId }) => intentId === String(id)).map((one) => one.safeAddress)
}

describe('a wallet to which strangers had more than a thousand Safes made out', () => {
  const victim = walletOf('a wallet with a thousand Safes')
  let paid: Hex

  test('a crowded wallet finds its paid Safes first, and all of them page by page', async () => {
    const api = await openApi('compat', rig.enclave)
    await register(api, victim)
    const issued = await issueEntries(rig.database.db, rig.enclave, {
      wallet: victim.address,
      chainId: BASE,
      count: 1_100,
    })
    // The oldest is the only one that was paid.
    paid = issued[0]!.safeAddress
    await rig.client.query(
      `insert into app.safe_balance (chain_id, safe_address, token, is_listed, first_block,
         last_block, balance, asked_block, asked_time, is_stale)
       values (84532, $1, '0xcc' || repeat('0', 38), true, 1, 1, 7, 1, 1, false)`,
      [paid],
    )
    const page = await listPage(api)
    expect(page.stealthAddresses).toHaveLength(1_000)
    expect(page.stealthAddresses[0].safeAddress.toLowerCase()).toBe(paid)
    const rest = await listPage(api, page.nextCursor)
    expect([rest.stealthAddresses.length, rest.nextCursor]).toEqual([100, null])
    const all = [...page.stealthAddresses, ...rest.stealthAddresses]
    expect(new Set(all.map(({ safeAddress }) => safeAddress)).size).toBe(1_100)
    expect(await listPage(api, 'elsewhere')).toMatchObject({ code: 'INVALID_CURSOR' })
  })

  test('a crowded wallet sweeps after one page, and lists all its Safes with the SDK', async () => {
    const { url } = await openApi('compat', rig.enclave)
    const signature = await signed()
    const relayer = createRelayerClient({ baseUrl: url })
    const recipient = { recipientAddress: victim.address, signature }
    const all = await relayer.stealthAddresses(recipient)
    expect(all).toHaveLength(1_100)
    const { url: another } = await openApi('compat', rig.enclave)
    const funded = createRelayerClient({ baseUrl: another })
    const [only, ...others] = await funded.stealthAddresses(recipient, { isFunded: true })
    expect([only?.safeAddress.toLowerCase(), others]).toEqual([paid, []])
    await rig.client.query('delete from app.stealth_entry where chain_id = 84532')
    await rig.client.query('delete from app.safe_balance where chain_id = 84532')
  })

  const signed = () => victim.signMessage({ message: `REGISTER_STEALTH:${victim.address}` })

  async function listPage(api: Api, cursor?: string) {
    const more = cursor === undefined ? '' : `&cursor=${cursor}`
    const headers = { 'x-recipient-signature': await signed() }
    const path = `/recipient/addresses?address=${victim.address}${more}`
    return (await api.get(path, headers)).body
  }
})

describe('a registered wallet in a bundle', () => {
  test('a registered wallet is paid at a fresh Safe, even beside one already issued to it', async () => {
    const id = await create([])
    const { safeAddress } = (await generate(compat, id)).body
    expect(await store(strict, id, [safeAddress, wallet.address])).toMatchObject({ status: 200 })
    const [given, second] = await readOwedRecipients(id)
    expect(given).toBe(safeAddress)
    expect(second).not.toBe(safeAddress)
  })

  test('a bundle names as many registered wallets as the intent’s fee covers, and no more', async () => {
    const small = { amountA: await leastAmount() }
    const four = [wallet.address, other.address, wallet.address, other.address]
    const id = await create([], small)
    const refused = await store(strict, id, four)
    expect(refused).toMatchObject({ status: 400, body: { code: 'AMOUNT_BELOW_MINIMUM' } })
    const { field, minimum } = refused.body.details
    expect([field, BigInt(minimum)]).toEqual(['recipients', (small.amountA * 4n + 2n) / 3n])
    // Three are paid for, and so are any number that aren't registered.
    expect(await store(strict, id, [...four.slice(1), plain, plain])).toMatchObject({ status: 200 })
    expect(await store(strict, await create([], { amountA: BigInt(minimum) }), four)).toMatchObject(
      {
        status: 200,
      },
    )
    // What comes with the creation nobody can refuse: it isn't anchored.
    const unasked = await create(four, { ...small, blob: true })
    await rig.until(async () => {
      const { rows } = await rig.client.query(
        `select reason from app.reaction where intent_id = $1 and kind = 'anchor'`,
        [String(unasked)],
      )
      return rows[0]?.reason === 'TOO_MANY_SAFES'
    }, 'refused')
    // The enclave derived nothing for it.
    const { source } = (await rig.stored(unasked))!
    expect(await findSignedStatement(rig.database.db, 'anchor', source)).toBeNull()
    // Nobody is shown Safes that nobody may pay.
    expect(await listedOf(unasked)).toEqual([])
  })

  test('a registered wallet loses the Safe of an intent that ends without a winner, but none that was generated on request', async () => {
    const id = await create([wallet.address], { blob: true })
    const { safeAddress } = (await generate(compat, id)).body
    expect(await feeOf(id)).toBe(700)
    expect(await listedOf(id)).toHaveLength(2)
    await rig.base.senders[0]!.execute({
      to: rig.base.contracts.bridge,
      data: encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'cancelIntent',
        args: [id],
      }),
    })
    await rig.until(async () => (await listedOf(id)).length === 1, 'deleted')
    expect(await listedOf(id)).toEqual([safeAddress])
  })

  test('a registered wallet keeps a Safe revealed to a winner, even if the intent seems to end without one', async () => {
    const id = await create([wallet.address], { blob: true })
    const [safe] = await readOwedRecipients(id)
    // As after a reorg that replaces the deposit by a cancellation.
    await deleteUnpaidEntries(rig.database.db, (await rig.stored(id))!.source)
    expect(await listedOf(id)).toEqual([safe])
  })

  test('a registered wallet’s intent is anchored where only the reward makes up the bridge’s minimum', async () => {
    // The reward is a hundredth of the amount.
    const amountA = ((await leastAmount()) * 100n + 100n) / 101n
    const small = { amountA, blob: true }
    const ids = [await create([plain], small), await create([wallet.address, plain], small)]
    expect([await feeOf(ids[0]!), await feeOf(ids[1]!)]).toEqual([250, 700])
  })

  test('an intent with as many registered wallets as the operator pays for is anchored', async () => {
    const four = [wallet.address, other.address, wallet.address, other.address]
    await restartReactions({ safePrice: { gasPerMinimum: 10n ** 9n, gasPerRecipient: 1n } })
    try {
      const id = await create(four, { amountA: await leastAmount(), blob: true })
      expect(await feeOf(id)).toBe(700)
    } finally {
      await restartReactions()
    }
  })

  test('a registered wallet sent by POST is replaced by its fresh Safe, the same on every repeat', async () => {
    const id = await create([])
    const { safeAddress } = (await generate(compat, id)).body
    expect(await store(compat, id, [wallet.address, plain, wallet.address])).toMatchObject({
      status: 200,
    })
    expect(await store(compat, id, [wallet.address, plain, wallet.address])).toMatchObject({
      status: 200,
    })
    expect(await feeOf(id)).toBe(700)
    const [first, , third] = await readOwedRecipients(id)
    // What a stranger was given out is yet another.
    expect(new Set([first, third, safeAddress, wallet.address]).size).toBe(4)
    const listed = (await addressesOf(strict, wallet)).filter(
      ({ intentId }) => intentId === String(id),
    )
    expect(listed.map((one) => one.safeAddress)).toEqual(expect.arrayContaining([first, third]))
  })

  test('a registered wallet in the creation’s own blob is replaced by its fresh Safe', async () => {
    const id = await create([wallet.address, plain], { blob: true })
    expect(await feeOf(id)).toBe(700)
    const [first] = await readOwedRecipients(id)
    const listed = (await addressesOf(strict, wallet)).find(
      ({ intentId }) => intentId === String(id),
    )
    expect(listed?.safeAddress).toBe(first)
  })

  test('a registered wallet on a chain whose Safes aren’t followed is refused with a helpful message', async () => {
    const [base] = rig.configs
    const enclave = await createEnclave({ roots: [TEST_ROOT], chains: toEnclaveChains([base!]) })
    const narrow = await openApi('compat', enclave)
    const id = await create([])
    const { status, body } = await store(narrow, id, [plain, wallet.address])
    expect([status, body.code]).toEqual([400, 'UNSUPPORTED_CHAIN'])
    expect(body.error).toContain(String(HORIZEN))
    expect((await generate(narrow, id)).body.code).toBe('UNSUPPORTED_CHAIN')
    expect(await store(narrow, id, [plain])).toMatchObject({ status: 200 })
  })

  test('a bundle without registered wallets stays unchanged', async () => {
    const id = await create([plain], { blob: true })
    expect(await feeOf(id)).toBe(250)
  })
})

describe('addresses', () => {
  test('addresses are shown to the wallet alone, and never cached', async () => {
    const signature = await wallet.signMessage({ message: `REGISTER_STEALTH:${wallet.address}` })
    const path = `/recipient/addresses?address=${wallet.address}`
    const answer = await strict.get(`${path}&signature=${signature}`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body.stealthAddresses[0]).toMatchObject({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      ephemeralPubKey: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
      chainId: String(HORIZEN),
      intentId: expect.stringMatching(/^\d+$/),
      safeDeployed: false,
      safeAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      createdAt: expect.any(Number),
    })
    expect((await strict.get(path)).body.code).toBe('SIGNATURE_REQUIRED')
    const theirs = await other.signMessage({ message: `REGISTER_STEALTH:${wallet.address}` })
    const refused = await strict.get(`${path}&signature=${theirs}&walletChainId=base_sepolia`)
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
    expect(JSON.stringify(refused.body)).not.toContain(theirs)
  })
})

describe('derive-stealth-key', () => {
  const derive = async (api: Api, by: PrivateKeyAccount, stealthAddress: string, headers = {}) => {
    const message = `DERIVE_STEALTH_KEY:${by.address}:${stealthAddress}`
    const signature = await by.signMessage({ message })
    const body = { recipientAddress: by.address, stealthAddress, signature }
    return api.post('/recipient/derive-stealth-key', body, headers)
  }
  const challenge = async (by: PrivateKeyAccount, stealthAddress: string, seconds: number) => {
    const timestamp = Math.floor(Date.now() / 1_000) + seconds
    const message = `DERIVE_STEALTH_KEY:${by.address}:${stealthAddress}:${timestamp}`
    return {
      'x-timestamp': String(timestamp),
      'x-auth-signature': await by.signMessage({ message }),
    }
  }

  test('returns an address’s key to its owner; strict mode also requires a fresh signature', async () => {
    const [entry] = await addressesOf(compat, wallet)
    const stealth = entry!.address
    const lenient = await derive(compat, wallet, stealth)
    expect(lenient.headers.get('cache-control')).toBe('no-store')
    expect(privateKeyToAccount(lenient.body.stealthPrivateKey).address).toBe(stealth)
    expect((await derive(strict, wallet, stealth)).body.code).toBe('SIGNATURE_REQUIRED')
    expect(
      (await derive(strict, wallet, stealth, await challenge(wallet, stealth, -400))).body.code,
    ).toBe('STALE_TIMESTAMP')
    const theirs = await challenge(other, stealth, 0)
    expect((await derive(strict, wallet, stealth, theirs)).body.code).toBe('INVALID_SIGNATURE')
    const fresh = await derive(strict, wallet, stealth, await challenge(wallet, stealth, 0))
    expect(fresh.body).toEqual(lenient.body)
    const signature = await wallet.signTypedData(
      deriveStealthKeyTypedData(wallet.address, stealth as Hex),
    )
    const body = { recipientAddress: wallet.address, stealthAddress: stealth, signature }
    expect((await compat.post('/recipient/derive-stealth-key', body)).body).toEqual(lenient.body)
  })

  test('returns it encrypted to the public key that its owner signed', async () => {
    const [entry] = await addressesOf(compat, wallet)
    const stealth = entry!.address
    const own = new PrivateKey()
    const to = bytesToHex(own.publicKey.toBytes(false))
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const message = `DERIVE_STEALTH_KEY:${wallet.address}:${stealth}:${timestamp}:${to}`
    const signed = {
      'x-timestamp': timestamp,
      'x-auth-signature': await wallet.signMessage({ message }),
    }
    for (const api of [strict, compat]) {
      const { body } = await derive(api, wallet, stealth, { ...signed, 'x-seal-to': to })
      const key = bytesToHex(decrypt(own.secret, hexToBytes(body.stealthPrivateKey)))
      expect(privateKeyToAccount(key).address).toBe(stealth)
      expect(await derive(api, wallet, stealth, { 'x-seal-to': to })).toMatchObject({
        status: 400,
        body: { code: 'SIGNATURE_REQUIRED' },
      })
      for (const [other, code] of [
        [bytesToHex(new PrivateKey().publicKey.toBytes(false)), 'INVALID_SIGNATURE'],
        ['0x04', 'INVALID_REQUEST'],
      ]) {
        const changed = { ...signed, 'x-seal-to': other! }
        expect((await derive(api, wallet, stealth, changed)).body.code).toBe(code)
      }
    }
  })

  test('returns nobody else’s key', async () => {
    const [entry] = await addressesOf(compat, wallet)
    const stealth = entry!.address
    expect(await derive(compat, other, stealth)).toMatchObject({
      status: 403,
      body: { code: 'NOT_YOUR_ADDRESS' },
    })
    expect(await derive(compat, other, plain)).toMatchObject({
      status: 403,
      body: { code: 'NOT_YOUR_ADDRESS' },
    })
    const signature = await other.signMessage({
      message: `DERIVE_STEALTH_KEY:${wallet.address}:${stealth}`,
    })
    const forged = { recipientAddress: wallet.address, stealthAddress: stealth, signature }
    const answer = await compat.post('/recipient/derive-stealth-key', forged)
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
  })
})

test('recovery restores every paid registration and every address from the root and the chain alone', async () => {
  const { rows: bridge } = await rig.client.query(
    `select count(*) as count from cairn.event where type = 'IntentAnchored' and args ->> 'feeBps' = '700'`,
  )
  expect(Number(bridge[0].count)).toBeGreaterThanOrEqual(5)
  const databaseUrl = await rig.postgres.createDatabase('recovered')
  const certified = await recoverIntoDatabase({
    databaseUrl,
    chains: rig.configs,
    enclave: rig.enclave,
  })
  const recovered = await rig.postgres.connect(databaseUrl)
  const entries = `select encode(tag, 'hex') as tag, chain_id::text as chain, intent_id::text as intent,
      delivery_index as index, stealth_address, encode(ephemeral_pub_key, 'hex') as key, view_tag,
      safe_address, salt_nonce::text as salt
    from app.stealth_entry e`
  const paid = (
    await rig.client.query(
      `${entries} where delivery_index >= 32768 and exists (select from cairn.intent i
         where i.intent_id = e.intent_id and i.fee_bps = 700) order by id`,
    )
  ).rows
  const found = (await recovered.query(`${entries} order by id`)).rows
  expect(paid.length).toBeGreaterThanOrEqual(5)
  expect(found).toEqual(expect.arrayContaining(paid))
  const stealth = certified.map(({ stealthAddresses }) => stealthAddresses)
  expect(stealth.map(({ count }) => count)).toEqual([found.length, 0])
  expect(stealth.map(({ notDerived }) => notDerived)).toEqual([[], []])
  const keys = `select encode(spend_pub_key, 'hex') as spend, encode(view_pub_key, 'hex') as view
    from app.recipient r where tag in (select tag from app.stealth_entry) order by 1`
  // The chain also has the Safes of intents that ended without a winner.
  const registered = (await rig.client.query(keys)).rows
  expect((await recovered.query(keys)).rows).toEqual(expect.arrayContaining(registered))
})

test('a registration lost before its first payment is repeated with the same keys', async () => {
  const unpaid = walletOf('a recipient whom nobody has paid')
  const first = await register(compat, unpaid)
  const databaseUrl = await rig.postgres.createDatabase('unpaid')
  await recoverIntoDatabase({ databaseUrl, chains: rig.configs, enclave: rig.enclave })
  const again = await openApi('compat', rig.enclave, databaseUrl)
  const recovered = await rig.postgres.connect(databaseUrl)
  const registered = async () => (await recovered.query('select from app.recipient')).rowCount ?? 0
  const paid = await registered()
  const second = await register(again, unpaid)
  expect(second).toMatchObject({ status: 200, body: first.body })
  expect(await registered()).toBe(paid + 1)
})

test('a recovery reports the bundles whose Safes it can’t derive', async () => {
  const databaseUrl = await rig.postgres.createDatabase('other_safes')
  // Which Safes there would be on the destination, this one doesn't know.
  const chains = toEnclaveChains(rig.configs.slice(0, 1), 'compat')
  const enclave = await createEnclave({ roots: [TEST_ROOT], chains })
  const certified = await recoverIntoDatabase({ databaseUrl, chains: rig.configs, enclave })
  const [base] = certified
  const { count, notDerived } = base!.stealthAddresses
  expect(count).toBe(0)
  expect(notDerived.length).toBeGreaterThan(0)
  expect(notDerived[0]).toMatchObject({ event: 'IntentAnchored', reason: 'SAFE_NOT_DERIVED' })
  expect(base!.blobs).toMatchObject({ opened: base!.blobs.seen, unreadable: [] })
  expect(buildRecoveryCertificate(certified, '0x').isComplete).toBe(false)
})

test('wrong signatures are rejected individually up to a limit that protects the chains’ nodes', async () => {
  const signature = `0x${'22'.repeat(64)}1c`
  const codes: string[] = []
  let refused: Awaited<ReturnType<typeof register>> | null = null
  for (let at = 0; at < 500 && refused === null; at++) {
    const answer = await register(compat, wallet, { signature })
    codes.push(answer.body.code)
    if (answer.status === 429) refused = answer
  }
  // Others of this suite may have been wrong before.
  expect(codes.length).toBeGreaterThan(40)
  expect(new Set(codes.slice(0, -1))).toEqual(new Set(['INVALID_SIGNATURE']))
  expect(refused?.body.code).toBe('RATE_LIMITED')
  // Keys need nobody to be asked.
  expect(await register(compat, wallet)).toMatchObject({ status: 200 })
})
