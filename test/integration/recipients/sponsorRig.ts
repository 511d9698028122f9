import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseEther,
  toHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Failure } from '../../../api/http/baseApp.ts'
import type { SponsorCoordinatorOptions } from '../../../api/rest/recipient/sponsorCoordinator.ts'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { startApi } from '../../../api/rest/startApi.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import {
  buildDevnetContracts,
  type DevnetContracts,
} from '../../../devnet/deploy/devnetContracts.ts'
import {
  type SafeCall,
  type SafeTransaction,
  safeTransactionHash,
} from '../../../sdk/safe/safeTransaction.ts'
import { type AccountSender, createAccountSender } from '../../../services/chain/accountSender.ts'
import { type Sender, startSender } from '../../../services/chain/transactions/startSender.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import type { StealthEntry } from '../../../services/relayer/recipients/entries/stealthEntryRows.ts'
import { issueAddress } from '../../../services/relayer/recipients/issueAddress.ts'
import { createEnclaveTransactionSigner } from '../../../services/relayer/recipients/sponsored/enclaveTransactionSigner.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'
import {
  type IndexedIntent,
  indexDelivery,
  indexIntent,
  LEAST,
  openSourceIndex,
  SOURCE,
} from './sourceIndex.ts'

const CHAIN = 2651420
const WINDOWS = { pickup: 100, execution: 1_000, grace: 100 }
const ROOT = new Uint8Array(32).fill(7)

/** A delivery to a recipient, with the key that owns its Safe. */
export type Made = StealthEntry & { owner: PrivateKeyAccount }

/** Of which intent a delivery is, and what the index says of that; a new one by default, completed. */
export type Delivery = {
  intent?: Partial<IndexedIntent>
  intentId?: bigint
  /** What stands for whoever had it made out without a signature. */
  stranger?: Hex
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
export type Reply = { status: number; headers: Headers; text: string; body: any }

export type SponsorRig = Awaited<ReturnType<typeof startSponsorRig>>

/** Free of rates, for tests of everything else, with timeouts that a busy machine keeps. */
export const AT_ONCE: SponsorCoordinatorOptions = {
  timeoutMs: 120_000,
  rates: {
    client: { perSecond: 1_000, burst: 1_000 },
    safe: { perSecond: 1_000, burst: 1_000 },
    unproven: { perSecond: 1_000, burst: 1_000 },
  },
}

/** Of an intent whose fee pays for whatever a test has sent. */
const DELIVERED: IndexedIntent = { phase: 'completed', amountA: 100n * LEAST, feeBps: 700 }

/**
 * One chain with everything deployed, the relayer's sender, and the API in front. The index of the chain
 * where the intents are is made of rows.
 */
export async function startSponsorRig(sponsoring: SponsorCoordinatorOptions = AT_ONCE) {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    WINDOWS,
  )
  const [chain, postgres] = await Promise.all([
    openBridgeChain(contracts, 'horizen_testnet', CHAIN, 84532),
    startPostgresUnderTest(),
  ])
  const { databaseUrl } = postgres
  await migrate(databaseUrl)
  const index = await postgres.connect()
  await openSourceIndex(index)
  const tokens = { ZEN: { address: contracts.tokens.ZEN, decimals: 18 } }
  const configs = [{ ...chain.config, tokens }]
  const enclave = await createEnclave({ roots: [ROOT], chains: toEnclaveChains(configs, 'compat') })
  const { relayer } = await enclave.publicKeys()
  await chain.client.setBalance({ address: relayer, value: parseEther('10') })
  const database = openDatabase({ databaseUrl })
  const { db } = database
  const failures: Failure[] = []
  const FREE = { perSecond: 100_000, burst: 100_000 }
  const openApi = (options: SponsorCoordinatorOptions) =>
    startApi({
      databaseUrl,
      chains: configs,
      host: '127.0.0.1',
      port: 0,
      limits: { reads: FREE, writes: FREE },
      routes: [
        createRelayerWriteRoutes({
          enclave,
          authMode: 'compat',
          adminTokens: [],
          sponsoring: options,
        }),
      ],
      onFailure: (failure) => failures.push(failure),
    })
  const apis = [await openApi(sponsoring)]
  let sender: Sender | null = openSender(databaseUrl, chain, enclave, db, relayer)
  const poster = (url: string) => (name: string, body: unknown) =>
    post(`${url}/recipient/${name}`, body)
  const call = poster(apis[0]!.url)
  let deliveries = 0n

  const rig = {
    chain,
    postgres,
    enclave,
    relayer,
    database,
    db,
    failures,
    contracts,
    url: apis[0]!.url,
    post: call,
    /** Another instance of the API, with its own limits. */
    async openApi(options: SponsorCoordinatorOptions) {
      const api = await openApi(options)
      apis.push(api)
      return poster(api.url)
    },
    /** A registered wallet. */
    async register(name: string): Promise<PrivateKeyAccount> {
      const wallet = privateKeyToAccount(keccak256(toHex(name)))
      const message = `REGISTER_STEALTH:${wallet.address}`
      const signature = await wallet.signMessage({ message })
      const { status } = await call('register', { recipientAddress: wallet.address, signature })
      if (status !== 200) throw new Error(`${name} can't register`)
      return wallet
    },
    /**
     * What a delivery to a wallet is made out to, and the key of its stealth address as the API gives it.
     * Nothing is in its Safe yet.
     */
    async made(
      wallet: PrivateKeyAccount,
      { intent = {}, intentId, stranger }: Delivery = {},
    ): Promise<Made> {
      deliveries += 1n
      const terms = {
        intentId: intentId ?? (BigInt(SOURCE) << 64n) | deliveries,
        destChainId: CHAIN,
      }
      await indexIntent(index, terms.intentId, CHAIN, { ...DELIVERED, ...intent })
      const address = wallet.address.toLowerCase() as Hex
      const entry = await issueAddress(db, enclave, terms, address, stranger ?? null, 1_700_000_000)
      if (typeof entry === 'string') throw new Error(entry)
      const { stealthAddress } = entry
      const recipientAddress = wallet.address
      const message = `DERIVE_STEALTH_KEY:${recipientAddress}:${stealthAddress}`
      const signature = await wallet.signMessage({ message })
      const answer = await call('derive-stealth-key', {
        recipientAddress,
        stealthAddress,
        signature,
      })
      return { ...entry, owner: privateKeyToAccount(answer.body.stealthPrivateKey) }
    },
    /** Its winner's delivery, as the index has it. */
    solved: (intentId: bigint) => indexDelivery(index, intentId, CHAIN),
    /** The same with 100 ZEN in the Safe, and blocks on top. */
    async delivered(wallet: PrivateKeyAccount, of: Delivery = {}): Promise<Made> {
      const delivery = await rig.made(wallet, of)
      await rig.mint(delivery.safeAddress, 100n)
      await chain.client.mine({ blocks: chain.config.confirmations })
      return delivery
    },
    /** The same with its Safe deployed. */
    async paid(wallet: PrivateKeyAccount): Promise<Made> {
      const delivery = await rig.delivered(wallet)
      const { status, text } = await rig.deploy(delivery)
      if (status !== 200) throw new Error(text)
      return delivery
    },
    mint: async (to: Address, amount: bigint) => {
      await payer().execute({ to: contracts.tokens.ZEN, data: encodeMint(to, amount) })
    },
    async deploy({ stealthAddress, owner }: Made, change: object = {}): Promise<Reply> {
      const message = `DEPLOY_SAFE:${stealthAddress}:${CHAIN}`
      const signature = await owner.signMessage({ message })
      return call('deploy-safe', { stealthAddress, signature, chainId: String(CHAIN), ...change })
    },
    /** A Safe transaction, signed by the owner of `delivery`; `change` comes after the signature. */
    async relayBody(
      delivery: Made,
      requested: Partial<SafeTransaction>,
      change: object = {},
    ): Promise<object> {
      const plain = { ...transferOf({ contracts }, 1n), operation: 0, nonce: 0n } as const
      const transaction: SafeTransaction = { ...plain, ...requested }
      const at = { chainId: CHAIN, safeAddress: delivery.safeAddress }
      const signature = await delivery.owner.sign({ hash: safeTransactionHash(at, transaction) })
      const { to, value, data, operation } = transaction
      const { safeAddress } = delivery
      const body = {
        safeAddress,
        chainId: String(CHAIN),
        to,
        value: String(value),
        data,
        operation,
        signature,
      }
      return { ...body, ...change }
    },
    async relay(
      delivery: Made,
      requested: Partial<SafeTransaction> = {},
      change: object = {},
    ): Promise<Reply> {
      return call('relay-proxy', await rig.relayBody(delivery, requested, change))
    },
    balance: (owner: Address) =>
      chain.client.readContract({
        address: contracts.tokens.ZEN,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
      }),
    /** What the relayer has left to pay with, and how many transactions it has sent. */
    payer: async () => ({
      wei: await chain.client.getBalance({ address: relayer }),
      sent: await chain.client.getTransactionCount({ address: relayer }),
    }),
    stopSender: async () => {
      await sender?.stop()
      sender = null
    },
    startSender: () => {
      sender = openSender(databaseUrl, chain, enclave, db, relayer)
    },
    stop: async () => {
      await Promise.all(apis.map((api) => api.stop()))
      await sender?.stop()
      await database.close()
      await Promise.all([chain.node.stop(), postgres.stop()])
    },
  }
  function payer(): AccountSender {
    return createAccountSender(chain.client, deriveDevnetAccounts().deployer, 50)
  }
  return rig
}

/** An external account that receives the Safes' funds. */
export const OUTSIDE: Address = `0x${'0e'.repeat(20)}`

/** A transfer of the rig's token. */
export function transferOf(
  { contracts }: { contracts: DevnetContracts },
  amount: bigint,
): SafeCall {
  const args = [OUTSIDE, amount] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return { to: contracts.tokens.ZEN, value: 0n, data }
}

function openSender(
  databaseUrl: string,
  { config }: BridgeChain,
  enclave: Enclave,
  db: ReturnType<typeof openDatabase>['db'],
  account: Address,
): Sender {
  const sign = createEnclaveTransactionSigner(db, enclave)
  return startSender({ databaseUrl, chain: config, account, sign, pollMs: 100 })
}

async function post(url: string, body: unknown): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}
