import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { encodeFunctionData } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { AuthMode } from '../../../api/rest/writeContext.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { generateStealthMessage } from '../../../sdk/messages/generateStealthMessage.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { TEST_ROOT } from '../reactions/relayerRig.ts'
import {
  type Api,
  addressesOf,
  BASE,
  compat,
  create,
  failures,
  feeOf,
  generate,
  HORIZEN,
  openApi,
  other,
  plain,
  readOwedRecipients,
  rig,
  SERVICE,
  sender,
  store,
  strict,
  wallet,
} from './recipientsTestbed.ts'

/** Tests of addresses that are made out for an intent, on a scene that is open. */
export function describeGenerateStealth(): void {
  describe('generate-stealth', () => {
    test('serves only the intent’s sender and services in strict mode', async () => {
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      expect((await generate(strict, id)).body.code).toBe('SIGNATURE_REQUIRED')
      const message = generateStealthMessage(wallet.address, HORIZEN, id)
      const by = async (account: PrivateKeyAccount) => ({
        'x-sender-signature': await account.signMessage({ message }),
      })
      expect((await generate(strict, id, {}, await by(other))).body.code).toBe('INVALID_SIGNATURE')
      const answer = await generate(
        strict,
        id,
        {},
        await by(privateKeyToAccount(sender.privateKey)),
      )
      expect(answer).toMatchObject({ status: 200, body: { success: true } })
      const { stealthAddress, safeAddress } = answer.body
      expect(predictSafe(stealthAddress, HORIZEN).address).toBe(safeAddress.toLowerCase())
      const bearer = { authorization: `Bearer ${SERVICE}` }
      expect((await generate(strict, id, {}, bearer)).body).toEqual(answer.body)
      expect((await generate(strict, id, {}, { authorization: 'Bearer no' })).status).toBe(403)
    })

    test('follows the mode of the intent’s source chain, not the server’s default', async () => {
      const id = await create([])
      const withMode = (mode: AuthMode) =>
        rig.configs.map((chain) => (chain.chainId === BASE ? { ...chain, mode } : chain))
      const strictBase = await openApi('compat', rig.enclave, undefined, withMode('strict'))
      expect((await generate(strictBase, id)).body.code).toBe('SIGNATURE_REQUIRED')
      const compatBase = await openApi('strict', rig.enclave, undefined, withMode('compat'))
      expect((await generate(compatBase, id)).status).toBe(200)
    })

    test.each([
      [
        'an intent that doesn’t exist',
        { intentId: String((BigInt(BASE) << 64n) | 9_999n) },
        'UNKNOWN_INTENT',
      ],
      ['another chain than the intent’s', { chainId: String(BASE) }, 'DESTINATION_MISMATCH'],
      ['a wallet that isn’t registered', { recipientAddress: plain }, 'RECIPIENT_NOT_REGISTERED'],
    ])('refuses %s', async (_, change, code) => {
      expect((await generate(compat, await create([]), change)).body.code).toBe(code)
    })

    test('returns a Safe that makes the intent shielded when paid directly', async () => {
      const id = await create([])
      const { safeAddress } = (await generate(compat, id)).body
      expect((await generate(compat, id)).body.safeAddress).toBe(safeAddress)
      expect(await store(compat, id, [safeAddress, plain])).toMatchObject({ status: 200 })
      expect(await feeOf(id)).toBe(700)
      expect(await readOwedRecipients(id)).toEqual([safeAddress, expect.stringMatching(/^0x9a/i)])
    })

    test('returns what the enclave derives, whatever a row says', async () => {
      const thief = `0x${'7e'.repeat(20)}`
      const forge = `stealth_address = $2, safe_address = $2, ephemeral_pub_key = $3, ticket = $4`
      const forged = [thief, Buffer.alloc(65, 4), Buffer.alloc(64, 7)]
      const safeOf = async (id: bigint) => {
        const { rows } = await rig.client.query(
          `select safe_address as safe from app.stealth_entry
           where intent_id = $1 and asked_by is null and delivery_index < 16384`,
          [String(id)],
        )
        return rows.map(({ safe }) => safe)
      }
      const bearer = { authorization: `Bearer ${SERVICE}` }
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      const first = (await generate(strict, id, {}, bearer)).body
      await rig.client.query(`update app.stealth_entry set ${forge} where intent_id = $1`, [
        String(id),
        ...forged,
      ])
      expect((await generate(strict, id, {}, bearer)).body).toEqual(first)
      expect(await safeOf(id)).toEqual([first.safeAddress.toLowerCase()])

      // Nor does one that was there before anybody asked.
      const later = await create([])
      await rig.until(async () => (await rig.stored(later)) !== null, 'indexed')
      await rig.client.query(
        `insert into app.stealth_entry (tag, chain_id, intent_id, delivery_index, stealth_address,
           ephemeral_pub_key, view_tag, safe_address, salt_nonce, ticket, created_at)
         select tag, $5, $1, 0, $2, $3, 0, $2, 0, $4, 1 from app.recipient
         where tag = (select tag from app.stealth_entry where intent_id = $6 limit 1)`,
        [String(later), ...forged, HORIZEN, String(id)],
      )
      expect(await safeOf(later)).toEqual([thief])
      const { safeAddress, stealthAddress } = (await generate(strict, later, {}, bearer)).body
      expect(predictSafe(stealthAddress, HORIZEN).address).toBe(safeAddress.toLowerCase())
      expect(await safeOf(later)).toEqual([safeAddress.toLowerCase()])
    })

    test('returns what the enclave derives even if other deliveries’ rows name its Safes', async () => {
      const bearer = { authorization: `Bearer ${SERVICE}` }
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      const first = (await generate(strict, id, {}, bearer)).body
      const stranger = (await generate(compat, id)).body
      // Another wallet's row, and the wallet's own in another intent.
      const changes = [
        `tag = sha256('whoever'), asked_by = null`,
        `intent_id = intent_id + 1000000`,
      ]
      for (const change of changes) {
        await rig.client.query(`update app.stealth_entry set ${change} where intent_id = $1`, [
          String(id),
        ])
        expect((await generate(strict, id, {}, bearer)).body).toEqual(first)
        expect((await generate(compat, id)).body).toEqual(stranger)
      }
      const { rows } = await rig.client.query(
        `select intent_id as id from app.stealth_entry where safe_address = any($1)`,
        [[first, stranger].map(({ safeAddress }) => safeAddress.toLowerCase())],
      )
      expect(rows.map((row) => String(row.id))).toEqual([String(id), String(id)])
    })

    test('fails if the database doesn’t store a row', async () => {
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      await rig.client.query(
        `create function app.keep_nothing() returns trigger language plpgsql as 'begin return null; end';
         create trigger keep_nothing before insert on app.stealth_entry
           for each row execute function app.keep_nothing()`,
      )
      try {
        const answer = await generate(strict, id, {}, { authorization: `Bearer ${SERVICE}` })
        expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL_ERROR' } })
      } finally {
        await rig.client.query('drop function app.keep_nothing() cascade')
      }
      // The log says where the operator should look.
      const told = failures.splice(0).map(({ error }) => String(error.cause))
      expect(told).toEqual([expect.stringContaining('app.stealth_entry did not keep a row')])
    })

    test('restores a Safe that a lost database knew, for the sender alone once the intent is over', async () => {
      const id = await create([])
      const message = generateStealthMessage(wallet.address, HORIZEN, id)
      const signature = await privateKeyToAccount(sender.privateKey).signMessage({ message })
      const bySender = (api: Api) => generate(api, id, {}, { 'x-sender-signature': signature })
      const { safeAddress } = (await bySender(strict)).body
      const forget = () =>
        rig.client.query('delete from app.stealth_entry where intent_id = $1', [String(id)])
      const functionName = 'cancelIntent'
      await rig.base.senders[0]!.execute({
        to: rig.base.contracts.bridge,
        data: encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args: [id] }),
      })
      await rig.until(
        async () => (await rig.stored(id))?.source.phase === 'cancelled',
        'it is over',
      )
      await forget()
      const bearer = { authorization: `Bearer ${SERVICE}` }
      for (const answer of [generate(compat, id), generate(strict, id, {}, bearer)])
        expect((await answer).body.code).toBe('INTENT_CLOSED')
      const safesOf = async () =>
        (await addressesOf(strict, wallet)).map((entry) => entry.safeAddress)
      expect(await safesOf()).not.toContain(safeAddress)
      expect((await bySender(strict)).body).toMatchObject({ safeAddress })
      expect(await safesOf()).toContain(safeAddress)
      // Also after the root was rotated.
      await forget()
      const enclave = await createEnclave({
        roots: [new Uint8Array(32).fill(9), TEST_ROOT],
        chains: toEnclaveChains(rig.configs, 'strict'),
      })
      const rotated = await openApi('strict', enclave)
      expect((await bySender(rotated)).body.safeAddress).not.toBe(safeAddress)
      expect(await safesOf()).toContain(safeAddress)
    })

    test('tells no caller about another’s Safe, whoever asks first', async () => {
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      const bearer = { authorization: `Bearer ${SERVICE}` }
      const first = await generateFrom('127.0.0.2', id)
      const second = await generateFrom('127.0.0.3', id)
      const proven = (await generate(compat, id, {}, bearer)).body.safeAddress
      expect(new Set([first, second, proven]).size).toBe(3)
      // Each keeps its own.
      expect(await generateFrom('127.0.0.3', id)).toBe(second)
      expect(await generateFrom('127.0.0.2', id)).toBe(first)
      expect((await generate(compat, id, {}, bearer)).body.safeAddress).toBe(proven)
    })

    test('reveals nothing to strangers that would identify a payment', async () => {
      const id = await create([])
      await store(strict, id, [wallet.address])
      const guessed = (await generate(compat, id)).body.safeAddress
      const [real] = await readOwedRecipients(id)
      expect(guessed).toMatch(/^0x/)
      expect(guessed).not.toBe(real)
      // Nor when the stranger was first.
      const later = await create([])
      const early = (await generate(compat, later)).body.safeAddress
      await store(strict, later, [wallet.address])
      expect((await readOwedRecipients(later))[0]).not.toBe(early)
    })
  })

  describe('a flood of addresses generated for one intent', () => {
    test('a flood of addresses is stopped for strangers, but not for the intent’s sender or its bundle', async () => {
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      await makeOutForStrangers(id, 1_001)
      expect((await generate(compat, id)).body.code).toBe('RATE_LIMITED')
      const message = generateStealthMessage(wallet.address, HORIZEN, id)
      const signature = await privateKeyToAccount(sender.privateKey).signMessage({ message })
      const answer = await generate(compat, id, {}, { 'x-sender-signature': signature })
      expect(answer.status).toBe(200)
      expect(await store(compat, id, [wallet.address, plain])).toMatchObject({ status: 200 })
      // The bundle's own Safe is yet another.
      const [paid] = await readOwedRecipients(id)
      expect(paid?.toLowerCase()).not.toBe(wallet.address.toLowerCase())
      expect(paid).not.toBe(answer.body.safeAddress)
    })
  })
}

/** Asks from another of this machine's addresses. @returns the Safe */
async function generateFrom(localAddress: string, id: bigint): Promise<string> {
  const sent = request(`${compat.url}/recipient/generate-stealth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    localAddress,
  })
  const named = { recipientAddress: wallet.address, chainId: String(HORIZEN), intentId: String(id) }
  sent.end(JSON.stringify(named))
  const [response] = await once(sent, 'response')
  const answer = (await json(response)) as { safeAddress: string }
  expect(answer).toMatchObject({ success: true })
  return answer.safeAddress
}

/** As if so many strangers had had an address made out for the intent. */
async function makeOutForStrangers(id: bigint, count: number) {
  const client = await rig.postgres.connect()
  await client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, asked_by, created_at)
     select sha256(n::text::bytea), $1, $2::numeric, '0x' || left(encode(sha256(n::text::bytea), 'hex'), 40),
       decode(repeat('04', 65), 'hex'), 0,
       '0x' || right(encode(sha256(($2::numeric::text || n)::bytea), 'hex'), 40), 0, '\\x00',
       sha256(n::text::bytea), 1
     from generate_series(1, $3::int) n`,
    [HORIZEN, String(id), count],
  )
}
