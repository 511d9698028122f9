import { encrypt } from 'eciesjs'
import { bytesToHex, type Hex, hexToBytes, keccak256, stringToBytes, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type { Failure } from '../../../api/http/baseApp.ts'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import type { AuthMode } from '../../../api/rest/writeContext.ts'
import { MAX_UNSIGNED_WAIT } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipientsMessage.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import type {
  Reactions,
  ReactionsOptions,
} from '../../../services/relayer/reconciler/startReactions.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { decodeBridgeLog } from '../../../src/event/decodeBridgeLog.ts'
import { type RelayerRig, startRelayerRig, testEnclave } from '../reactions/relayerRig.ts'

const FREE = { perSecond: 100_000, burst: 100_000 }
export const SERVICE = 'a-service-token-that-has-32-bytes-and-more'
export const [BASE, HORIZEN] = [84532, 2651420]

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
export type Reply = { status: number; headers: Headers; body: any }
export type Api = {
  url: string
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
}

export let rig: RelayerRig
export let strict: Api
export let compat: Api
const apis: RunningApi[] = []
let reactions: Reactions
/** Errors that an operator would read about; a test that expects one removes it. */
export const failures: Failure[] = []
export const wallet = walletOf('a recipient')
export const other = walletOf('another recipient')
export const plain: Hex = `0x${'9a'.repeat(20)}`
export const sender = deriveDevnetAccounts().senders[0]!

/** Opens both APIs, with two wallets registered. */
export async function openTestbed(): Promise<void> {
  rig = await startRelayerRig({ mode: 'compat' })
  const careful = await testEnclave(rig.configs, 'strict')
  strict = await openApi('strict', careful)
  compat = await openApi('compat', rig.enclave)
  reactions = await rig.startReactions()
  for (const one of [wallet, other])
    expect(await register(compat, one)).toMatchObject({ status: 200 })
}

/** Stops the reactions and starts others. */
export async function restartReactions(options: Partial<ReactionsOptions> = {}): Promise<void> {
  await reactions.stop()
  reactions = await rig.startReactions(options)
}

/** Closes what `openTestbed` opened. */
export async function closeTestbed(): Promise<void> {
  await Promise.all(apis.map((api) => api.stop()))
  await rig?.stop()
  expect(failures).toEqual([])
}

/** A wallet derived from a name. */
export function walletOf(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(name)))
}

/** Another API in front of the rig, or of a database of its own. */
export async function openApi(
  authMode: AuthMode,
  enclave: RelayerRig['enclave'],
  databaseUrl = rig.postgres.databaseUrl,
  chains = rig.configs,
): Promise<Api> {
  const api = await startApi({
    databaseUrl,
    chains,
    host: '127.0.0.1',
    port: 0,
    limits: { reads: FREE, writes: FREE },
    routes: [
      createRelayerWriteRoutes({ enclave, authMode, adminTokens: [], serviceTokens: [SERVICE] }),
    ],
    onFailure: (failure) => failures.push(failure),
  })
  apis.push(api)
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(`${api.url}${path}`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    url: api.url,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}

/** `POST /recipient/register`, signed; `change` comes after the signature. */
export async function register(
  api: Api,
  { address, signMessage }: PrivateKeyAccount,
  change: object = {},
) {
  const signature = await signMessage({ message: `REGISTER_STEALTH:${address}` })
  return api.post('/recipient/register', { recipientAddress: address, signature, ...change })
}

/** What the relayer lists for a wallet. */
export async function addressesOf(api: Api, account: PrivateKeyAccount) {
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
export async function create(
  recipients: Hex[],
  { blob = false, amountA = worth('USDC', 10_000) } = {},
): Promise<bigint> {
  const { contracts, senders } = rig.base
  const params = {
    tokenA: contracts.tokens.USDC,
    tokenB: contracts.tokens.ZEN,
    amountA,
    expectedAmountB: worth('ZEN', 9_000),
    reward: amountA / 100n,
    destChainId: BigInt(HORIZEN),
    auctionDuration: 60n,
  }
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  const sealed = sealCreationBlob(eciesPublicKey, {
    sourceChainId: BASE,
    bridge: contracts.bridge,
    user: sender.address,
    params,
    recipients,
    amounts: recipients.map(() => 5n),
    createdAt: 1_700_000_000,
  })
  const receipt = await senders[0]!.execute({
    to: contracts.bridge,
    data: createIntentCall(params, blob ? sealed : null),
  })
  for (const log of receipt.logs) {
    const event = decodeBridgeLog(log as never, {} as never)
    if (event?.type === 'IntentCreated') return event.args.intentId
  }
  throw new Error('no intent was created')
}

/** The least that the bridge takes of the token, base units: with the reward it is the bridge's own. */
export async function leastAmount(): Promise<bigint> {
  const { client, contracts } = rig.base
  const [, least] = await client.readContract({
    address: contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'tokenListing',
    args: [contracts.tokens.USDC],
  })
  return least
}

/** `POST /store-recipients`, signed by the sender where the mode wants it. */
export async function store(api: Api, intentId: bigint, recipients: Hex[]): Promise<Reply> {
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  const named = { n: 1, salt: `0x${'07'.repeat(32)}` as Hex }
  const bound = { intentId: String(intentId), chainId: BASE, sender: sender.address }
  const amounts = recipients.map(() => '5')
  const bundle = JSON.stringify({ recipients, amounts, ...bound, ...named })
  const encryptedData = bytesToHex(encrypt(hexToBytes(eciesPublicKey), stringToBytes(bundle)))
  const { paramsHash } = await rig.base.client.readContract({
    address: rig.base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getIntent',
    args: [intentId],
  })
  const message = storeRecipientsMessage({
    intentId,
    sourceChainId: BASE,
    paramsHash,
    recipients,
    ...named,
    amounts: recipients.map(() => 5n),
  })
  const headers = { 'x-sender-signature': await sender.signMessage({ message }) }
  const body = { intentId: String(intentId), chainId: BASE, encryptedData }
  return api.post('/store-recipients', body, api === strict ? headers : {})
}

/** `POST /recipient/generate-stealth` for the wallet. */
export const generate = (api: Api, intentId: bigint, change: object = {}, headers = {}) =>
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

/** At which fee an intent is anchored, in basis points. */
export async function feeOf(id: bigint): Promise<number> {
  await waitAsNobody(id)
  const feeBps = async () => (await rig.stored(id))?.source.feeBps ?? null
  await rig.until(async () => (await feeBps()) !== null, 'anchored')
  return (await feeBps()) as number
}

/** Moves the chain's clock on, by which nobody's word waits for the sender's. */
async function waitAsNobody(id: bigint): Promise<void> {
  await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
  const { source } = (await rig.stored(id))!
  const { timestamp } = await rig.base.client.getBlock()
  const seconds = source.createdAt + MAX_UNSIGNED_WAIT - Number(timestamp)
  if (seconds > 0) await rig.base.client.increaseTime({ seconds })
}

/** The recipients the winner has to pay. */
export async function readOwedRecipients(id: bigint): Promise<Hex[]> {
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
