import { encrypt } from 'eciesjs'
import {
  bytesToHex,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hexToBytes,
  keccak256,
  serializeErc6492Signature,
  stringToBytes,
  toHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Failure } from '../../../api/http/createApp.ts'
import { type RunningApi, startApi } from '../../../api/http/server.ts'
import { relayerWrites } from '../../../api/relayer/relayerWrites.ts'
import type { AuthMode } from '../../../api/relayer/writeContext.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { generateStealthMessage } from '../../../sdk/messages/generateStealth.ts'
import {
  deriveStealthKeyTypedData,
  registerRecipientTypedData,
} from '../../../sdk/messages/recipientTypedData.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipients.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import { devnetAccounts } from '../../../services/devnet/accounts.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { enclaveChains } from '../../../services/enclave/chains.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { predictSafe } from '../../../services/recipients/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../services/recipients/safe/safeAbi.ts'
import { safeContractsOf } from '../../../services/recipients/safe/safeContracts.ts'
import { certificateOf } from '../../../services/recovery/certificate.ts'
import { recoverInto } from '../../../services/recovery/recoverInto.ts'
import { decodeLog } from '../../../src/event/decodeLog.ts'
import { type RelayerRig, startRelayerRig, TEST_ROOT } from '../reactions/relayerRig.ts'

const FREE = { perSecond: 100_000, burst: 100_000 }
const SERVICE = 'a-service-token-that-has-32-bytes-and-more'
const [BASE, HORIZEN] = [84532, 2651420]

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Reply = { status: number; headers: Headers; body: any }
type Api = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
}

let rig: RelayerRig
let strict: Api
let compat: Api
const apis: RunningApi[] = []
const failures: Failure[] = []
const wallet = walletOf('a recipient')
const other = walletOf('another recipient')
const plain: Hex = `0x${'9a'.repeat(20)}`
const sender = devnetAccounts().senders[0]!
beforeAll(async () => {
  rig = await startRelayerRig()
  const chains = enclaveChains(rig.configs)
  const careful = await createEnclave({ roots: [TEST_ROOT], chains, requireChallenge: true })
  strict = await openApi('strict', careful)
  compat = await openApi('compat', rig.enclave)
  await rig.startReactions()
  for (const one of [wallet, other])
    expect(await register(compat, one)).toMatchObject({ status: 200 })
})
afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()))
  await rig?.stop()
  expect(failures).toEqual([])
})

function walletOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(name)))
}

async function openApi(
  authMode: AuthMode,
  enclave: RelayerRig['enclave'],
  databaseUrl = rig.postgres.databaseUrl,
): Promise<Api> {
  const api = await startApi({
    ...{ databaseUrl, chains: rig.configs },
    ...{ host: '127.0.0.1', port: 0, limits: { reads: FREE, writes: FREE } },
    surfaces: [relayerWrites({ enclave, authMode, adminTokens: [], serviceTokens: [SERVICE] })],
    onFailure: (failure) => failures.push(failure),
  })
  apis.push(api)
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(`${api.url}${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}

async function register(
  api: Api,
  { address, signMessage }: PrivateKeyAccount,
  change: object = {},
) {
  const signature = await signMessage({ message: `REGISTER_STEALTH:${address}` })
  return api.post('/recipient/register', { recipientAddress: address, signature, ...change })
}

async function addressesOf(api: Api, account: PrivateKeyAccount) {
  const signature = await account.signMessage({ message: `REGISTER_STEALTH:${account.address}` })
  const headers = { 'x-recipient-signature': signature }
  const answer = await api.get(`/recipient/addresses?address=${account.address}`, headers)
  return answer.body.stealthAddresses as {
    safeAddress: string
    intentId: string
    address: string
  }[]
}

/** An intent from base to horizen that pays these, in the creation's own blob or not. */
async function create(recipients: Hex[], { blob = false } = {}): Promise<bigint> {
  const { contracts, senders } = rig.base
  const params = {
    ...{
      tokenA: contracts.tokens.USDC,
      tokenB: contracts.tokens.ZEN,
      amountA: worth('USDC', 10_000),
    },
    ...{ expectedAmountB: worth('ZEN', 9_000), reward: worth('USDC', 100) },
    ...{ destChainId: BigInt(HORIZEN), auctionDuration: 60n },
  }
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  const sealed = sealCreationBlob(eciesPublicKey, {
    ...{ sourceChainId: BASE, bridge: contracts.bridge, user: sender.address, params },
    ...{ recipients, amounts: recipients.map(() => 5n), createdAt: 1_700_000_000 },
  })
  const receipt = await senders[0]!.execute({
    to: contracts.bridge,
    data: createIntentCall(params, blob ? sealed : null),
  })
  for (const log of receipt.logs) {
    const event = decodeLog(log as never, {} as never)
    if (event?.type === 'IntentCreated') return event.args.intentId
  }
  throw new Error('no intent was created')
}

/** `POST /store-recipients`, signed by the sender where the mode wants it. */
async function store(api: Api, intentId: bigint, recipients: Hex[]): Promise<Reply> {
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  const bundle = JSON.stringify({ recipients, amounts: recipients.map(() => '5') })
  const encryptedData = bytesToHex(encrypt(hexToBytes(eciesPublicKey), stringToBytes(bundle)))
  const message = storeRecipientsMessage(intentId, BASE, encryptedData)
  const headers = { 'x-sender-signature': await sender.signMessage({ message }) }
  const body = { intentId: String(intentId), chainId: BASE, encryptedData }
  return api.post('/store-recipients', body, api === strict ? headers : {})
}

const generate = (api: Api, intentId: bigint, change: object = {}, headers = {}) =>
  api.post(
    '/recipient/generate-stealth',
    {
      recipientAddress: wallet.address,
      chainId: String(HORIZEN),
      intentId: String(intentId),
      ...change,
    },
    headers,
  )

async function feeOf(id: bigint): Promise<number> {
  const feeBps = async () => (await rig.stored(id))?.source.feeBps ?? null
  await rig.until(async () => (await feeBps()) !== null, 'anchored')
  return (await feeBps()) as number
}

/** Whom the winner has to pay. */
async function owed(id: bigint): Promise<Hex[]> {
  await feeOf(id)
  await rig.play.bid(id)
  await rig.play.endAuction()
  await rig.play.deposit(id)
  const headers = { 'x-solver-address': rig.base.solvers[0]!.address }
  let answer: Reply | undefined
  await rig.until(async () => {
    answer = await compat.get(`/get-recipients/${id}`, headers)
    return answer.status === 200
  }, 'the winner is told')
  return answer!.body.recipients
}

describe('register', () => {
  test('answers the same keys on every call, in both modes and whatever the letter case', async () => {
    const first = await register(strict, wallet)
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.body).toMatchObject({
      success: true,
      spendPubKey: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
      viewPubKey: expect.stringMatching(/^0x04[0-9a-f]{128}$/),
    })
    const keys = ({ body: { spendPubKey, viewPubKey } }: Reply) => [spendPubKey, viewPubKey]
    const lower = await register(compat, wallet, { recipientAddress: wallet.address.toLowerCase() })
    expect(keys(lower)).toEqual(keys(first))
    const signature = await wallet.signTypedData(registerRecipientTypedData(wallet.address))
    expect(keys(await register(strict, wallet, { signature }))).toEqual(keys(first))
    expect(keys(await register(strict, other))).not.toEqual(keys(first))
  })

  test('refuses others’ signatures and says what to sign', async () => {
    const theirs = await other.signMessage({ message: `REGISTER_STEALTH:${wallet.address}` })
    const answer = await register(compat, wallet, {
      signature: theirs,
      walletChainId: 'base_sepolia',
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_SIGNATURE' } })
    expect(answer.body.error).toContain('REGISTER_STEALTH:<recipientAddress>')
    expect((await register(compat, wallet, { signature: '0x' })).body.code).toBe('INVALID_REQUEST')
    expect((await register(compat, wallet, { more: 1 })).body.code).toBe('INVALID_REQUEST')
  })

  test('keeps wallets out of the database', async () => {
    const { rows } = await rig.client.query(
      `select string_agg(r::text, ' ') as text from app.recipient r`,
    )
    expect(rows[0].text).not.toContain(wallet.address.slice(2).toLowerCase())
  })
})

describe('a wallet that is a contract', () => {
  const owner = walletOf('who owns a Safe already')
  const contracts = safeContractsOf(HORIZEN)
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

  test('registers by ERC-1271, is shielded where it lives, and takes its key', async () => {
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
      ...{ recipientAddress, stealthAddress, signature: await bySafe(deployed, text) },
    })
    expect(privateKeyToAccount(taken.body.stealthPrivateKey).address).toBe(stealthAddress)
  })

  test('is another recipient on another chain, where its address may be somebody else’s', async () => {
    const recipientAddress = deployed
    const signature = await bySafe(deployed, `REGISTER_STEALTH:${recipientAddress}`)
    const elsewhere = { recipientAddress, signature, walletChainId: 'base_sepolia' }
    expect((await strict.post('/recipient/register', elsewhere)).body.code).toBe(
      'INVALID_SIGNATURE',
    )
  })

  test('registers before it is deployed, by ERC-6492', async () => {
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

describe('generate-stealth', () => {
  test('in strict mode is for the intent’s sender and for services', async () => {
    const id = await create([])
    await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
    expect((await generate(strict, id)).body.code).toBe('SIGNATURE_REQUIRED')
    const message = generateStealthMessage(wallet.address, HORIZEN, id)
    const by = async (account: PrivateKeyAccount) => ({
      'x-sender-signature': await account.signMessage({ message }),
    })
    expect((await generate(strict, id, {}, await by(other))).body.code).toBe('INVALID_SIGNATURE')
    const answer = await generate(strict, id, {}, await by(privateKeyToAccount(sender.privateKey)))
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    const { stealthAddress, safeAddress } = answer.body
    expect(predictSafe(stealthAddress, HORIZEN).address).toBe(safeAddress.toLowerCase())
    const bearer = { authorization: `Bearer ${SERVICE}` }
    expect((await generate(strict, id, {}, bearer)).body).toEqual(answer.body)
    expect((await generate(strict, id, {}, { authorization: 'Bearer no' })).status).toBe(403)
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

  test('gives a Safe that makes the intent shielded when it is paid as it is', async () => {
    const id = await create([])
    const { safeAddress } = (await generate(compat, id)).body
    expect((await generate(compat, id)).body.safeAddress).toBe(safeAddress)
    expect(await store(compat, id, [safeAddress, plain])).toMatchObject({ status: 200 })
    expect(await feeOf(id)).toBe(700)
    expect(await owed(id)).toEqual([safeAddress, expect.stringMatching(/^0x9a/i)])
  })

  test('tells a stranger nothing by which a payment could be recognised', async () => {
    const id = await create([])
    await store(strict, id, [wallet.address])
    const guessed = (await generate(compat, id)).body.safeAddress
    const [real] = await owed(id)
    expect(guessed).toMatch(/^0x/)
    expect(guessed).not.toBe(real)
    // Nor when the stranger was first.
    const later = await create([])
    const early = (await generate(compat, later)).body.safeAddress
    await store(strict, later, [wallet.address])
    expect((await owed(later))[0]).not.toBe(early)
  })
})

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

describe('a flood of addresses made out for one intent', () => {
  test('ends for strangers, and neither for its sender nor for its bundle', async () => {
    const id = await create([])
    await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
    await makeOutForStrangers(id, 1_001)
    expect((await generate(compat, id)).body.code).toBe('RATE_LIMITED')
    const message = generateStealthMessage(wallet.address, HORIZEN, id)
    const signature = await privateKeyToAccount(sender.privateKey).signMessage({ message })
    const answer = await generate(compat, id, {}, { 'x-sender-signature': signature })
    expect(answer.status).toBe(200)
    expect(await store(compat, id, [wallet.address, plain])).toMatchObject({ status: 200 })
    expect((await owed(id))[0]).toBe(answer.body.safeAddress)
  })
})

describe('a registered wallet in a bundle', () => {
  test('beside a Safe of its own that was given out is paid at another', async () => {
    const id = await create([])
    const { safeAddress } = (await generate(compat, id)).body
    expect(await store(strict, id, [safeAddress, wallet.address])).toMatchObject({ status: 200 })
    const [given, second] = await owed(id)
    expect(given).toBe(safeAddress)
    expect(second).not.toBe(safeAddress)
  })

  test('that comes by POST gives way to its fresh Safe, the same on every repeat', async () => {
    const id = await create([])
    const { safeAddress } = (await generate(compat, id)).body
    expect(await store(compat, id, [wallet.address, plain, wallet.address])).toMatchObject({
      status: 200,
    })
    expect(await store(compat, id, [wallet.address, plain, wallet.address])).toMatchObject({
      status: 200,
    })
    expect(await feeOf(id)).toBe(700)
    const [first, , third] = await owed(id)
    expect(first).toBe(safeAddress)
    expect(third).not.toBe(first)
    const listed = (await addressesOf(strict, wallet)).filter(
      ({ intentId }) => intentId === String(id),
    )
    expect(listed.map((one) => one.safeAddress)).toEqual([first, third])
  })

  test('that comes in the creation’s own blob does so too', async () => {
    const id = await create([wallet.address, plain], { blob: true })
    expect(await feeOf(id)).toBe(700)
    const [first] = await owed(id)
    const listed = (await addressesOf(strict, wallet)).find(
      ({ intentId }) => intentId === String(id),
    )
    expect(listed?.safeAddress).toBe(first)
  })

  test('on a chain that isn’t followed is refused in words that help', async () => {
    const [base] = rig.configs
    const enclave = await createEnclave({ roots: [TEST_ROOT], chains: enclaveChains([base!]) })
    const narrow = await openApi('compat', enclave)
    const id = await create([])
    const { status, body } = await store(narrow, id, [plain, wallet.address])
    expect([status, body.code]).toEqual([400, 'UNSUPPORTED_CHAIN'])
    expect(body.error).toContain(String(HORIZEN))
    expect((await generate(narrow, id)).body.code).toBe('UNSUPPORTED_CHAIN')
    expect(await store(narrow, id, [plain])).toMatchObject({ status: 200 })
  })

  test('not where nobody is registered', async () => {
    const id = await create([plain], { blob: true })
    expect(await feeOf(id)).toBe(250)
  })
})

describe('addresses', () => {
  test('are for the wallet alone, and stay out of caches', async () => {
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

  test('gives the key of the address to its owner; strict mode wants a fresh signature beside', async () => {
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

  test('gives nobody else’s', async () => {
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

test('recovery brings back every registration that was paid and every address, from the root and the chain alone', async () => {
  const { rows: bridge } = await rig.client.query(
    `select count(*) as count from cairn.event where type = 'IntentAnchored' and args ->> 'feeBps' = '700'`,
  )
  expect(Number(bridge[0].count)).toBeGreaterThanOrEqual(5)
  const databaseUrl = await rig.postgres.createDatabase('recovered')
  const certified = await recoverInto({ databaseUrl, chains: rig.configs, enclave: rig.enclave })
  const recovered = await rig.postgres.connect(databaseUrl)
  const entries = `select encode(tag, 'hex') as tag, chain_id::text as chain, intent_id::text as intent,
      delivery_index as index, stealth_address, encode(ephemeral_pub_key, 'hex') as key, view_tag,
      safe_address, salt_nonce::text as salt
    from app.stealth_entry e`
  const paid = (
    await rig.client.query(
      `${entries} where exists (select from app.bundle b where b.intent_id = e.intent_id and fee_bps = 700)
       and asked_by is null order by id`,
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
  expect((await recovered.query(keys)).rows).toEqual((await rig.client.query(keys)).rows)
})

test('a registration that was lost before it was paid is repeated, with the same keys', async () => {
  const unpaid = walletOf('a recipient whom nobody has paid')
  const first = await register(compat, unpaid)
  const databaseUrl = await rig.postgres.createDatabase('unpaid')
  await recoverInto({ databaseUrl, chains: rig.configs, enclave: rig.enclave })
  const again = await openApi('compat', rig.enclave, databaseUrl)
  const recovered = await rig.postgres.connect(databaseUrl)
  const registered = async () => (await recovered.query('select from app.recipient')).rowCount ?? 0
  const paid = await registered()
  const second = await register(again, unpaid)
  expect(second).toMatchObject({ status: 200, body: first.body })
  expect(await registered()).toBe(paid + 1)
})

test('a recovery certifies which bundles’ Safes it can’t derive', async () => {
  const databaseUrl = await rig.postgres.createDatabase('other_safes')
  const safe = { fallbackHandler: plain }
  const chains = enclaveChains(rig.configs.map((chain) => ({ ...chain, safe })))
  const enclave = await createEnclave({ roots: [TEST_ROOT], chains })
  const certified = await recoverInto({ databaseUrl, chains: rig.configs, enclave })
  const [base] = certified
  const { count, notDerived } = base!.stealthAddresses
  expect(count).toBe(0)
  expect(notDerived.length).toBeGreaterThan(0)
  expect(notDerived[0]).toMatchObject({ event: 'IntentAnchored', reason: 'SAFE_NOT_DERIVED' })
  expect(base!.blobs).toMatchObject({ opened: base!.blobs.seen, unreadable: [] })
  expect(certificateOf(certified, '0x').isComplete).toBe(false)
})

test('nobody has the chains asked about contracts without an end', async () => {
  const answers = []
  for (let at = 0; at < 30; at++) {
    const signature = `0x${'22'.repeat(64)}1c`
    answers.push((await register(compat, wallet, { signature })).body.code)
  }
  expect(new Set(answers)).toEqual(new Set(['INVALID_SIGNATURE', 'RATE_LIMITED']))
  // Keys need nobody to be asked.
  expect(await register(compat, wallet)).toMatchObject({ status: 200 })
})
