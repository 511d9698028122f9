import { setTimeout as pause } from 'node:timers/promises'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  type Hex,
  http,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  createCairnClient,
  createRelayerClient,
  deploySafeMessage,
  type RecipientClient,
  type RelayerClient,
  type StealthEntry,
} from '../../sdk/index.ts'
import type { ExampleSetup } from './exampleSetup.ts'
import { type RecipientWallet, recipientWallet } from './recipientWallet.ts'
import { deployAndCall, deployedSafe, type PlainCall, predictedSafe, signCalls } from './safeOf.ts'
import { sendIntent } from './sendIntent.ts'

/** The example's result. Amounts in base units of the destination's USDC. */
export type Received = {
  wallet: Address
  /** The wallet's final balance. */
  tokens: bigint
  /** Its native balance on both chains together, in wei. */
  native: bigint
  intentIds: bigint[]
  /** The wallet's entries in the relayer's final list. */
  entries: StealthEntry[]
}

type Play = {
  scene: ExampleSetup
  relayer: RelayerClient
  /** The same wallet, through the SDK and through the plain interface. */
  recipient: RecipientClient
  wallet: RecipientWallet
  address: Address
  token: Address
  tell(text: string): void
}

/** One to sweep alone, and two to sweep together. */
const DELIVERIES = 3
const PAID = 100_000_000n
const EXPECTED = 90_000_000n
const REWARD = 1_000_000n

/**
 * A recipient's path: registers a new wallet without gas, receives three payments, and moves the funds into the wallet
 * without paying for any transaction.
 *
 * @param tell called with each step
 */
export async function receive(
  scene: ExampleSetup,
  tell: (text: string) => void,
): Promise<Received> {
  const relayer = createRelayerClient({ baseUrl: scene.api, requestTimeoutMs: 30_000 })
  const account = privateKeyToAccount(generatePrivateKey())
  const wallet = recipientWallet(account, relayer)
  const token = tokenOf(scene.destination, 'USDC')
  const recipient = recipientOf(scene, account)
  const play: Play = { scene, relayer, recipient, wallet, address: account.address, token, tell }

  await until(
    () => relayer.intents({ limit: 1 }),
    ({ notIndexedYet }) => notIndexedYet.length === 0,
  )
  tell(`A new wallet, ${account.address}, registers`)
  await recipient.register()
  const intentIds = await sendAll(play)
  const [first, ...others] = await awaitDeliveries(play, intentIds)
  await sweepOne(play, first!)
  await sweepTogether(play, others)
  const entries = await until(
    () => wallet.addresses(),
    (all) => all.every(({ swept, safeDeployed }) => swept && safeDeployed),
  )
  const tokens = await held(play, account.address)
  const native = await nativeOf(play)
  tell(`The wallet holds ${formatUnits(tokens, 6)} USDC, and ${native} wei on either chain`)
  return { wallet: account.address, tokens, native, intentIds, entries }
}

function recipientOf(
  { api, destination }: ExampleSetup,
  account: PrivateKeyAccount,
): RecipientClient {
  const { name, chainId, bridge, rpc } = destination
  const publicClient = createPublicClient({ transport: http(rpc) })
  return createCairnClient({
    relayer: { baseUrl: api, requestTimeoutMs: 30_000 },
    chains: [{ name, chainId, bridge, publicClient }],
    walletClient: createWalletClient({ account, transport: http(rpc) }),
  }).recipient()
}

async function sendAll({ scene, relayer, address, token, tell }: Play): Promise<bigint[]> {
  const ids: bigint[] = []
  for (let number = 1; number <= DELIVERIES; number++) {
    const tokenA = tokenOf(scene.source, 'USDC')
    const terms = { amountA: PAID, expectedAmountB: EXPECTED, reward: REWARD }
    const payment = { recipient: address, tokenA, tokenB: token, ...terms }
    const id = await sendIntent(scene, relayer, payment)
    tell(`Somebody on ${scene.source.name} sends it 90 USDC, by intent ${id}`)
    ids.push(id)
  }
  return ids
}

/** The entries of these intents, in order, once the solvers have delivered. */
async function awaitDeliveries(
  { relayer, wallet, tell }: Play,
  intentIds: readonly bigint[],
): Promise<StealthEntry[]> {
  for (const id of intentIds) {
    const { status, feeBps } = await until(
      () => relayer.intentDetails(id),
      (intent) => intent.isTerminal,
    )
    if (status !== 'completed') throw new Error(`intent ${id} has ended as ${status}`)
    tell(`Intent ${id} is delivered and settled, shielded at ${feeBps} bps`)
  }
  const entries = await until(
    () => wallet.addresses(),
    (all) => intentIds.every((id) => all.some((one) => one.intentId === id && holds(one))),
  )
  return intentIds.map((id) => {
    const entry = entries.find(({ intentId }) => intentId === id)!
    tell(`The relayer lists its Safe ${entry.safeAddress}, which nobody else can tie to the wallet`)
    return entry
  })
}

/** The simple way, one SDK call: derives the key, has the Safe deployed and sweeps it. */
async function sweepOne({ recipient, tell }: Play, entry: StealthEntry): Promise<void> {
  const [swept] = await recipient.sweep({ entries: [entry] })
  if (swept?.error) throw swept.error
  tell(`The SDK has the Safe deployed and sweeps it: ${swept?.txHash}`)
}

/** Several Safes in one transaction: the first Safe's batch deploys and sweeps the others. */
async function sweepTogether(play: Play, entries: readonly StealthEntry[]): Promise<void> {
  const { scene, wallet } = play
  const [first, ...others] = entries
  const key = await wallet.stealthKey(first!)
  await deploy(play, first!, key)
  const calls = [await transferTo(play, first!.safeAddress)]
  for (const entry of others) {
    const safe = await predictedSafe(scene.destination.rpc, await wallet.stealthKey(entry))
    calls.push(...(await deployAndCall(safe, [await transferTo(play, entry.safeAddress)])))
  }
  const safe = await deployedSafe(scene.destination.rpc, first!.safeAddress, key)
  await relay(play, first!, await signCalls(safe, calls))
}

async function deploy({ relayer, tell }: Play, entry: StealthEntry, key: Hex): Promise<void> {
  const { address: stealthAddress, chainId } = entry
  const message = deploySafeMessage(stealthAddress, chainId)
  const signature = await privateKeyToAccount(key).signMessage({ message })
  const { txHash } = await relayer.deploySafe({ stealthAddress, chainId, signature })
  tell(`The relayer deploys the Safe: ${txHash}`)
}

async function relay(
  { relayer, tell }: Play,
  { safeAddress, chainId }: StealthEntry,
  call: Awaited<ReturnType<typeof signCalls>>,
): Promise<void> {
  const hash = await relayer.relayProxy({ safeAddress, chainId, ...call })
  tell(`Signed by the stealth key, sent and paid for by the relayer: ${hash}`)
}

/** A sweep of the Safe's whole balance to the wallet. */
async function transferTo(play: Play, safe: Address): Promise<PlainCall> {
  const args = [play.address, await held(play, safe)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return { to: play.token, value: '0', data }
}

function held({ scene, token }: Play, owner: Address): Promise<bigint> {
  const client = createPublicClient({ transport: http(scene.destination.rpc) })
  const question = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  return client.readContract({ ...question, args: [owner] })
}

async function nativeOf({ scene, address }: Play): Promise<bigint> {
  const balances = await Promise.all(
    [scene.source, scene.destination].map(({ rpc }) =>
      createPublicClient({ transport: http(rpc) }).getBalance({ address }),
    ),
  )
  return balances.reduce((sum, balance) => sum + balance, 0n)
}

function holds({ balances }: StealthEntry): boolean {
  return balances.some(({ balance }) => balance > 0n)
}

function tokenOf({ name, tokens }: ExampleSetup['source'], symbol: string): Address {
  const token = tokens[symbol]
  if (token === undefined) throw new Error(`${name} has no ${symbol}`)
  return token
}

/** Longest duration of one step: a busy machine is slow. */
const PATIENCE = 180_000

/** Polls until the answer satisfies the condition. */
async function until<Answer>(
  ask: () => Promise<Answer>,
  isWished: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = Date.now() + PATIENCE
  for (;;) {
    const answer = await ask().catch(() => null)
    if (answer !== null && isWished(answer)) return answer
    if (Date.now() > deadline) throw new Error('the relayer is taking too long: see its logs')
    await pause(1_000)
  }
}
