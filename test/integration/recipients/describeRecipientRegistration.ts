import { randomUUID } from 'node:crypto'
import { encodeFunctionData, type Hex, hashMessage, serializeErc6492Signature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { registerRecipientTypedData } from '../../../sdk/messages/recipientTypedData.ts'
import type { Roots } from '../../../services/enclave/keys/rootFile.ts'
import { issueAddress } from '../../../services/relayer/recipients/issueAddress.ts'
import { findRecipientTickets } from '../../../services/relayer/recipients/registration/findRecipientTickets.ts'
import { toIntentTerms } from '../../../services/relayer/terms/intentTerms.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { until } from '../../rig/until.ts'
import { TEST_ROOT, testEnclave } from '../reactions/relayerRig.ts'
import {
  compat,
  create,
  feeOf,
  generate,
  HORIZEN,
  openApi,
  other,
  type Reply,
  register,
  rig,
  store,
  strict,
  wallet,
  walletOf,
} from './recipientsTestbed.ts'

type Wallet = { address: Hex }

const lower = ({ address }: Wallet) => address.toLowerCase() as Hex

/** Under the root that the scene's enclave has. */
async function tagOf(one: Wallet): Promise<Hex> {
  const { tags } = await rig.enclave.tagRecipients({
    recipients: [{ recipientAddress: lower(one) }],
  })
  return tags.flat()[0] as Hex
}

async function isKept(one: Wallet): Promise<boolean> {
  const { rowCount } = await rig.client.query('select from app.recipient where tag = $1', [
    Buffer.from((await tagOf(one)).slice(2), 'hex'),
  ])
  return rowCount === 1
}

/** Two years and a month go by since these registered. */
async function age(...wallets: Wallet[]): Promise<void> {
  const tags = await Promise.all(wallets.map(tagOf))
  await rig.client.query(
    `update app.recipient set forget_at = forget_at - interval '25 months' where tag = any($1)`,
    [tags.map((tag) => Buffer.from(tag.slice(2), 'hex'))],
  )
}

/** Has long gone ones forgotten. */
async function registerAnother(): Promise<void> {
  expect(await register(compat, walletOf(randomUUID()))).toMatchObject({ status: 200 })
}

/** Tests of who may register, on a scene that is open. */
export function describeRecipientRegistration(): void {
  describe('register', () => {
    test('returns the same keys on every call, in both modes and regardless of letter case', async () => {
      const first = await register(strict, wallet)
      expect(first.headers.get('cache-control')).toBe('no-store')
      expect(first.body).toMatchObject({
        success: true,
        spendPubKey: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
        viewPubKey: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
      })
      const keys = ({ body: { spendPubKey, viewPubKey } }: Reply) => [spendPubKey, viewPubKey]
      const lower = await register(compat, wallet, {
        recipientAddress: wallet.address.toLowerCase(),
      })
      expect(keys(lower)).toEqual(keys(first))
      const signature = await wallet.signTypedData(registerRecipientTypedData(wallet.address))
      expect(keys(await register(strict, wallet, { signature }))).toEqual(keys(first))
      expect(keys(await register(strict, other))).not.toEqual(keys(first))
    })

    test('refuses other accounts’ signatures and says what to sign', async () => {
      const theirs = await other.signMessage({ message: `REGISTER_STEALTH:${wallet.address}` })
      const answer = await register(compat, wallet, {
        signature: theirs,
        walletChainId: 'base_sepolia',
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
      expect(answer.body.error).toContain('REGISTER_STEALTH:<recipientAddress>')
      expect((await register(compat, wallet, { signature: '0x' })).body.code).toBe(
        'INVALID_REQUEST',
      )
      expect((await register(compat, wallet, { more: 1 })).body.code).toBe('INVALID_REQUEST')
    })

    test('limits a client’s new wallets, but not known ones', async () => {
      // Each instance counts separately.
      const api = await openApi('compat', rig.enclave)
      const statuses: number[] = []
      for (let flood = 0; flood < 400 && !statuses.includes(429); flood += 20) {
        const wallets = Array.from({ length: 20 }, (_, at) => walletOf(`flood ${flood + at}`))
        const answers = await Promise.all(wallets.map((one) => register(api, one)))
        statuses.push(...answers.map(({ status }) => status))
      }
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      expect(await register(api, wallet)).toMatchObject({ status: 200 })
    })

    test('forgets only wallets that were never paid and last registered over two years ago', async () => {
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      expect((await generate(compat, id)).status).toBe(200)
      const gone = walletOf('a wallet that never comes again')
      const back = walletOf('a wallet that comes again')
      for (const one of [gone, back]) await register(compat, one)
      await age(gone, back, wallet)
      await register(compat, back)
      await registerAnother()
      expect(await Promise.all([gone, back, wallet].map(isKept))).toEqual([false, true, true])
    })

    test('keeps a wallet that registers again while it is being forgotten', async () => {
      const back = walletOf('a wallet that comes again in time')
      await register(compat, back)
      await age(back)
      const tag = Buffer.from((await tagOf(back)).slice(2), 'hex')
      const again = await rig.postgres.connect()
      await again.query('begin')
      await again.query('update app.recipient set forget_at = default where tag = $1', [tag])
      let isOver = false
      const another = registerAnother().finally(() => {
        isOver = true
      })
      const isWaiting = async () => {
        const { rowCount } = await rig.client.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from app.recipient%'`,
        )
        return rowCount !== 0
      }
      await until(async () => isOver || (await isWaiting()), 'another has registered, or waits')
      await again.query('commit')
      await another
      expect(await isKept(back)).toBe(true)
    })

    test('keeps a wallet that was paid, whatever root it registered under', async () => {
      const byAddress = walletOf('who asks for an address after the root was changed')
      const byBundle = walletOf('who is in a bundle after the root was changed')
      for (const one of [byAddress, byBundle]) await register(compat, one)
      const roots: Roots = [new Uint8Array(32).fill(0x5c), TEST_ROOT]
      const enclave = await testEnclave(rig.configs, 'compat', roots)
      const id = await create([])
      await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
      const { source } = (await rig.stored(id)) as StoredIntent
      const terms = toIntentTerms(source, rig.base.contracts.bridge)
      const { db } = rig.database
      const issued = await issueAddress(db, enclave, terms, lower(byAddress), null, 1)
      expect(issued).not.toMatchObject({ tag: await tagOf(byAddress) })
      const { blob } = await enclave.sealBlob({
        sourceChainId: source.sourceChainId,
        intentId: id,
        user: source.sender,
        bridge: rig.base.contracts.bridge,
        paramsHash: source.paramsHash,
        createdAt: 1,
        recipients: [lower(byBundle)],
        amounts: [1n],
        n: 1,
        salt: `0x${'00'.repeat(32)}`,
      })
      expect((await findRecipientTickets({ db, enclave }, terms, [blob])).tickets).toHaveLength(1)
      await age(byAddress, byBundle)
      await registerAnother()
      expect(await Promise.all([byAddress, byBundle].map(isKept))).toEqual([true, true])
    })

    test('keeps wallets out of the database', async () => {
      const { rows } = await rig.client.query(
        `select string_agg(r::text, ' ') as text from app.recipient r`,
      )
      expect(rows[0].text).not.toContain(wallet.address.slice(2).toLowerCase())
    })
  })

  describe('a contract wallet', () => {
    const owner = walletOf('who owns a Safe already')
    const contracts = findSafeContracts(HORIZEN)
    const { address: deployed, ...deployment } = predictSafe(owner.address, HORIZEN)
    const deploymentOf = (initializer: Hex, saltNonce: bigint) =>
      encodeFunctionData({
        abi: safeProxyFactoryAbi,
        functionName: 'createProxyWithNonce',
        args: [contracts.singleton, initializer, saltNonce],
      })
    beforeAll(async () => {
      const data = deploymentOf(deployment.initializer, deployment.saltNonce)
      await rig.horizen.senders[0]!.execute({ to: contracts.proxyFactory, data })
    })

    /** What a Safe takes for a signature of its own: its owner's, over the hash wrapped for this Safe. */
    const bySafe = (safe: Hex, text: string, signer = owner) =>
      signer.signTypedData({
        domain: { chainId: HORIZEN, verifyingContract: safe },
        types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
        primaryType: 'SafeMessage',
        message: { message: hashMessage(text) },
      })

    test('a contract wallet registers by ERC-1271, is shielded on its own chain, and gets its key', async () => {
      const recipientAddress = deployed
      const signature = await bySafe(deployed, `REGISTER_STEALTH:${recipientAddress}`)
      const answer = await strict.post('/recipient/register', { recipientAddress, signature })
      expect(answer).toMatchObject({ status: 200, body: { stealthAddresses: [] } })
      const id = await create([])
      expect(await store(strict, id, [deployed])).toMatchObject({ status: 200 })
      expect(await feeOf(id)).toBe(700)
      const path = `/recipient/addresses?address=${recipientAddress}&walletChainId=horizen_testnet`
      const listed = await strict.get(path, { 'x-recipient-signature': signature })
      const [entry] = listed.body.stealthAddresses
      expect(entry).toMatchObject({ intentId: String(id), chainId: String(HORIZEN) })
      const stealthAddress = entry.address
      const text = `DERIVE_STEALTH_KEY:${recipientAddress}:${stealthAddress}`
      const taken = await compat.post('/recipient/derive-stealth-key', {
        recipientAddress,
        stealthAddress,
        signature: await bySafe(deployed, text),
      })
      expect(privateKeyToAccount(taken.body.stealthPrivateKey).address).toBe(stealthAddress)
    })

    test('a contract wallet counts as a different recipient on another chain, where its address may belong to someone else', async () => {
      const recipientAddress = deployed
      const signature = await bySafe(deployed, `REGISTER_STEALTH:${recipientAddress}`)
      const elsewhere = { recipientAddress, signature, walletChainId: 'base_sepolia' }
      expect((await strict.post('/recipient/register', elsewhere)).body.code).toBe(
        'INVALID_SIGNATURE',
      )
    })

    test('a contract wallet registers before it is deployed, by ERC-6492', async () => {
      const later = walletOf('who will own a Safe')
      const { address: safe, initializer, saltNonce } = predictSafe(later.address, HORIZEN)
      const signature = serializeErc6492Signature({
        address: contracts.proxyFactory,
        data: deploymentOf(initializer, saltNonce),
        signature: await bySafe(safe, `REGISTER_STEALTH:${safe}`, later),
      })
      const body = { recipientAddress: safe, signature, walletChainId: 'horizen_testnet' }
      expect(await strict.post('/recipient/register', body)).toMatchObject({ status: 200 })
      const burning = serializeErc6492Signature({
        // What it would run is a loop without an end: nodes are asked for little gas.
        address: '0x0000000000000000000000000000000000000001',
        data: `0x${'5b600056'.repeat(8)}`,
        signature: '0x11',
      })
      const bad = await strict.post('/recipient/register', { ...body, signature: burning })
      expect(bad.body.code).toBe('INVALID_SIGNATURE')
    })
  })
}
