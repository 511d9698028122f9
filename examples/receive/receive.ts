import { setTimeout as pause } from 'node:timers/promises'
import { type Address, encodeFunctionData, erc20Abi, formatUnits, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  createRelayerClient,
  deploySafeMessage,
  type IntentHandle,
  type RecipientClient,
  type RelayerClient,
  type StealthEntry,
} from '../../sdk/index.ts'
import { createClient, type ExampleSetup } from '../exampleSetup.ts'
import { quoteUsdc, sendUsdc } from '../send/sendUsdc.ts'
import { composeDeployment, openSafe, type PlainCall, predictSafe, signCalls } from './safeCalls.ts'

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

type ReceiveContext = {
  setup: ExampleSetup
  relayer: RelayerClient
  recipient: RecipientClient
  log(text: string): void
}

/** One to sweep alone, and two to sweep together. */
const DELIVERIES = 3

/**
 * A recipient's path: registers a new wallet without gas, receives three payments, and moves the funds into the wallet
 * without paying for any transaction.
 *
 * @param log called with each step
 */
export async function receive(setup: ExampleSetup, log: (text: string) => void): Promise<Received> {
  const relayer = createRelayerClient({ baseUrl: setup.api, requestTimeoutMs: 30_000 })
  const recipient = createClient(setup, privateKeyToAccount(generatePrivateKey())).recipient()
  const context: ReceiveContext = { setup, relayer, recipient, log }

  // The solvers of a devnet that has just started may have no stake yet.
  await until(
    () => quoteUsdc(setup),
    ({ ableSolvers }) => ableSolvers > 0,
  )
  log(`A new wallet, ${recipient.address}, registers`)
  await recipient.register()
  const intents = await sendAll(context)
  const [first, ...others] = await awaitDeliveries(context, intents)
  await sweepOne(context, first!)
  await sweepTogether(context, others)
  const entries = await until(
    () => recipient.list(),
    (all) => all.every(({ swept, safeDeployed }) => swept && safeDeployed),
  )
  const tokens = await readBalance(context, recipient.address)
  const native = await readNative(context)
  log(`The wallet holds ${formatUnits(tokens, 6)} USDC, and ${native} wei on either chain`)
  const intentIds = intents.map(({ id }) => id)
  return { wallet: recipient.address, tokens, native, intentIds, entries }
}

async function sendAll({ setup, recipient, log }: ReceiveContext): Promise<IntentHandle[]> {
  const intents: IntentHandle[] = []
  for (let number = 1; number <= DELIVERIES; number++) {
    const intent = await sendUsdc(setup, recipient.address)
    log(`A sender on ${setup.source.name} sends it at least 90 USDC: intent ${intent.id}`)
    intents.push(intent)
  }
  return intents
}

/** The entries of these intents, in order, once the solvers have delivered. */
async function awaitDeliveries(
  { recipient, log }: ReceiveContext,
  intents: readonly IntentHandle[],
): Promise<StealthEntry[]> {
  for (const { id, wait } of intents) {
    const { feeBps } = await wait()
    log(`Intent ${id} is delivered and settled, shielded at ${feeBps} bps`)
  }
  const entries = await until(
    () => recipient.list(),
    (all) => intents.every(({ id }) => all.some((one) => one.intentId === id && holdsFunds(one))),
  )
  return intents.map(({ id }) => {
    const entry = entries.find(({ intentId }) => intentId === id)!
    log(`The relayer lists its Safe ${entry.safeAddress}, which nobody else can link to the wallet`)
    return entry
  })
}

/** The simple way, one SDK call: derives the key, has the Safe deployed and sweeps it. */
async function sweepOne({ recipient, log }: ReceiveContext, entry: StealthEntry): Promise<void> {
  const [swept] = await recipient.sweep({ entries: [entry] })
  if (swept?.error) throw swept.error
  log(`The SDK has the Safe deployed and sweeps it: ${swept?.txHash}`)
}

/** Several Safes in one transaction, with Safe's own tools: the first Safe's batch deploys and sweeps the others. */
async function sweepTogether(
  context: ReceiveContext,
  entries: readonly StealthEntry[],
): Promise<void> {
  const { recipient } = context
  const { rpc } = context.setup.destination
  const [first, ...others] = entries
  const key = await recipient.stealthKey(first!)
  await deploy(context, first!, key)
  const calls = [await transferTo(context, first!.safeAddress)]
  for (const entry of others) {
    const safe = await predictSafe(rpc, await recipient.stealthKey(entry))
    const transfer = await transferTo(context, entry.safeAddress)
    calls.push(...(await composeDeployment(safe, [transfer])))
  }
  const safe = await openSafe(rpc, first!.safeAddress, key)
  await relay(context, first!, await signCalls(safe, calls))
}

async function deploy(
  { relayer, log }: ReceiveContext,
  entry: StealthEntry,
  key: Hex,
): Promise<void> {
  const { address: stealthAddress, chainId } = entry
  const message = deploySafeMessage(stealthAddress, chainId)
  const signature = await privateKeyToAccount(key).signMessage({ message })
  const { txHash } = await relayer.deploySafe({ stealthAddress, chainId, signature })
  log(`The relayer deploys the Safe: ${txHash}`)
}

async function relay(
  { relayer, log }: ReceiveContext,
  { safeAddress, chainId }: StealthEntry,
  call: Awaited<ReturnType<typeof signCalls>>,
): Promise<void> {
  const hash = await relayer.relayProxy({ safeAddress, chainId, ...call })
  log(`Signed by the stealth key, sent and paid for by the relayer: ${hash}`)
}

/** A transfer of the Safe's whole balance to the wallet. */
async function transferTo(context: ReceiveContext, safe: Address): Promise<PlainCall> {
  const args = [context.recipient.address, await readBalance(context, safe)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  return { to: context.setup.destination.usdc, value: '0', data }
}

function readBalance({ setup }: ReceiveContext, owner: Address): Promise<bigint> {
  const { usdc, publicClient } = setup.destination
  const question = { address: usdc, abi: erc20Abi, functionName: 'balanceOf' } as const
  return publicClient.readContract({ ...question, args: [owner] })
}

async function readNative({ setup, recipient: { address } }: ReceiveContext): Promise<bigint> {
  const chains = [setup.source, setup.destination]
  const balances = await Promise.all(
    chains.map(({ publicClient }) => publicClient.getBalance({ address })),
  )
  return balances.reduce((sum, balance) => sum + balance, 0n)
}

function holdsFunds({ balances }: StealthEntry): boolean {
  return balances.some(({ balance }) => balance > 0n)
}

/** Longest duration of one step: a busy machine is slow. */
const STEP_TIMEOUT_MS = 180_000

/** Polls until the answer satisfies the condition. */
async function until<Answer>(
  ask: () => Promise<Answer>,
  isEnough: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = Date.now() + STEP_TIMEOUT_MS
  for (;;) {
    const answer = await ask().catch(() => null)
    if (answer !== null && isEnough(answer)) return answer
    if (Date.now() > deadline) throw new Error('the relayer is taking too long: see its logs')
    await pause(1_000)
  }
}
