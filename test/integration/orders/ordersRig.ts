import { encrypt } from 'eciesjs'
import { pino } from 'pino'
import {
  bytesToHex,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBytes,
  keccak256,
  maxUint256,
  stringToBytes,
} from 'viem'
import { startOrdersApi } from '../../../api/orderService/startOrdersApi.ts'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { Mode } from '../../../services/enclave/enclaveChain.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { createFileStorage } from '../../../services/enclave/keys/sealedStorage.ts'
import {
  type RunningOrders,
  type StartOrdersOptions,
  startOrders,
} from '../../../services/orders/startOrders.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { TIMEOUT_MS, until } from '../../rig/until.ts'
import { registerEnclaveOn } from '../enclave/enclaveTestbed.ts'
import { type BridgeChain, type BridgePair, startBridgePair } from '../indexer/bridgePair.ts'
import { createTestEnclave } from './testEnclave.ts'

/** Amounts of the orders that tests place: the bridge's least is 100 dollars' worth or below. */
export const PER_PERIOD = worth('USDC', 100_000)
const OUT = worth('ZEN', 40_000)
export const PAYEES: readonly [Hex, Hex] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]

/** An answer of the service over HTTP. */
// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks at
export type Answer = { status: number; body: any }

export type OrdersRig = Awaited<ReturnType<typeof startOrdersRig>>

/** Who orders: a key, or a contract for which one signs. */
export type OrderOwner = Pick<DevnetAccount, 'address' | 'signMessage'>

type OrderChange = Record<string, unknown>

/**
 * A real node with everything deployed, PostgreSQL, an enclave that the registry knows, the service and its
 * HTTP server. What an owner does here takes `fetch`, viem and eciesjs, and nothing of ours.
 */
export async function startOrdersRig({
  mode = 'strict',
  directory,
  quorum = 1,
  start: startsNow = true,
}: {
  mode?: Mode
  directory?: string
  /** How many enclaves of different operators each step needs, and there are. */
  quorum?: number
  start?: boolean
} = {}) {
  const [pair, postgres] = await Promise.all([
    startBridgePair({ stakes: false, ...(quorum > 1 && { quorum }) }),
    startPostgresUnderTest(),
  ])
  const { base } = pair
  const configs = configsOf(pair)
  const storage = directory === undefined ? {} : { storage: createFileStorage(directory) }
  let passed = 0
  const clock = () => Math.floor(Date.now() / 1_000) + passed
  const enclave = await createTestEnclave(configs, mode, { ...storage, now: clock })
  const enclaves: [Enclave, ...Enclave[]] = [enclave]
  while (enclaves.length < quorum)
    enclaves.push(await createTestEnclave(configs, mode, { now: clock }))
  for (const [operator, one] of enclaves.entries()) await registerEnclaveOn(base, one, operator)
  const { account } = await enclave.orderKeys()
  await base.client.setBalance({ address: account, value: 10n ** 19n })
  const vault = base.contracts.vault
  const owners = deriveDevnetAccounts().senders
  for (const [at, owner] of owners.entries()) await fund(base, owner, at, vault)
  const running: { stop(): Promise<unknown> }[] = []

  const rig = {
    pair,
    base,
    postgres,
    enclave,
    enclaves,
    configs,
    vault,
    owners,
    mode,
    account,
    /** Unix seconds, by what has passed on the chain. */
    clock,
    token: base.contracts.tokens.USDC,
    orders: null as unknown as RunningOrders,
    url: '',
    /** Starts another instance of the service, on the same database unless told otherwise. */
    async start(options: Partial<StartOrdersOptions> = {}) {
      const orders = await startOrders({
        databaseUrl: postgres.databaseUrl,
        chains: configs,
        enclaves,
        relayerUrl: 'http://127.0.0.1:9',
        log: pino({ level: process.env.ORDERS_LOG ?? 'silent' }),
        roundMs: 200,
        ledgerMs: 200,
        timeoutMs: 10_000,
        now: clock,
        sender: { pollMs: 200 },
        // Here nothing is ever delivered.
        unpaidGas: 10n ** 12n,
        unpaidGasOfAll: 10n ** 12n,
        ...options,
      })
      running.push(orders)
      const api = await startOrdersApi({ orders, host: '127.0.0.1', port: 0 })
      running.push(api)
      return { orders, api, url: api.url }
    },
    /** An owner's request; `change` alters its fields. */
    async submission(
      owner: OrderOwner = owners[0]!,
      change: OrderChange = {},
      say?: (digest: string) => string,
    ) {
      const now = await rig.now()
      const order = {
        user: owner.address,
        assetIn: rig.token,
        assetOut: base.contracts.tokens.ZEN,
        chainIn: 'base_sepolia',
        chainOut: 'horizen_testnet',
        sourceChainId: 84532,
        destChainId: 2651420,
        totalAmountIn: String(PER_PERIOD * 3n),
        amountPerPeriod: String(PER_PERIOD),
        period: 60,
        startTime: now - 10,
        endTime: now + 86_400,
        recipients: PAYEES,
        amounts: [String(OUT), '5'],
        ...change,
      }
      const { body } = await get(`${rig.url}/ecies-pubkey`)
      const sealed = encrypt(hexToBytes(body.publicKey), stringToBytes(JSON.stringify(order)))
      const encrypted = bytesToHex(sealed)
      const digest = keccak256(encrypted).slice(2)
      const expiry = clock() + 600
      const message = say?.(digest) ?? `TWAP_ORDER:${digest}:84532:${expiry}`
      const signature = await owner.signMessage!({ message })
      return { encrypted, message, signature, digest }
    },
    async place(owner?: OrderOwner, change?: OrderChange): Promise<Answer> {
      const { digest: _, ...body } = await rig.submission(owner, change)
      return post(`${rig.url}/orders`, body)
    },
    async cancel(id: string, owner: OrderOwner = owners[0]!, message?: string): Promise<Answer> {
      const text = message ?? `TWAP_CANCEL:${id}:${clock() + 600}`
      const signature = await owner.signMessage!({ message: text })
      return post(`${rig.url}/orders/${id}/cancel`, { message: text, signature })
    },
    order: async (id: string) => (await get(`${rig.url}/orders/${id}`)).body.order,
    /** The chain's time. */
    now: async () => Number((await base.client.getBlock()).timestamp),
    /** Advances the chain by this many seconds and a few blocks. */
    async pass(seconds: number): Promise<void> {
      passed += seconds
      await base.client.increaseTime({ seconds })
      await base.client.mine({ blocks: 2 })
    },
    /** Mines while it waits, so that what hangs on blocks comes. */
    until: (condition: () => Promise<boolean> | boolean, what: string, timeout = TIMEOUT_MS) =>
      until(condition, what, {
        timeout,
        interval: 100,
        meanwhile: () => base.client.mine({ blocks: 1, interval: 0 }),
      }),
    untilOrder: (id: string, is: (order: Answer['body']) => boolean, what: string) =>
      rig.until(async () => is(await rig.order(id)), what),
    onChain: (orderId: Hex) =>
      base.client.readContract({
        address: vault,
        abi: orderVaultAbi,
        functionName: 'getOrder',
        args: [orderId],
      }),
    balanceOf: (who: Hex) =>
      base.client.readContract({
        address: rig.token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [who],
      }),
    async approve(owner: number, amount = maxUint256): Promise<void> {
      await approve(base, owner, vault, amount)
    },
    async stopServices(): Promise<void> {
      for (const one of running.splice(0).reverse()) await one.stop()
    },
    async stop(): Promise<void> {
      await rig.stopServices()
      await Promise.all([pair.stop(), postgres.stop()])
    },
  }
  if (startsNow) Object.assign(rig, await rig.start())
  return rig
}

function configsOf({ base, horizen }: BridgePair): ChainConfig[] {
  return [base, horizen].map(({ config, contracts }) => ({
    ...config,
    registry: contracts.registry,
    ...(config.chainId === 84532 && { vault: contracts.vault }),
  }))
}

async function fund(base: BridgeChain, owner: DevnetAccount, at: number, vault: Hex) {
  const data = encodeMint(owner.address, worth('USDC', 1_000_000_000))
  await base.relayer.execute({ to: base.contracts.tokens.USDC, data })
  await approve(base, at, vault, maxUint256)
}

async function approve(base: BridgeChain, at: number, vault: Hex, amount: bigint): Promise<void> {
  const args = [vault, amount] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  await base.senders[at]!.execute({ to: base.contracts.tokens.USDC, data })
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers })
  return { status: response.status, body: await response.json() }
}

export async function post(url: string, body: unknown): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
