import { concat, encodeFunctionData, erc20Abi, type Hex, type TransactionReceipt } from 'viem'
import type { RunningAnvil } from '../../../contracts/anvil/startAnvil.ts'
import {
  type DevnetAccount,
  deriveDevnetAccounts,
  FUNDED_ACCOUNTS,
} from '../../../devnet/accounts.ts'
import type { DeploymentChoices } from '../../../devnet/deploy/buildDeploymentSettings.ts'
import {
  buildDevnetContracts,
  type DevnetContracts,
} from '../../../devnet/deploy/devnetContracts.ts'
import { registerEnclave } from '../../../devnet/deploy/registerEnclave.ts'
import { setUpDevnetChain } from '../../../devnet/deploy/setUpDevnetChain.ts'
import { stakeAccount } from '../../../devnet/deploy/stakeAccount.ts'
import { worth } from '../../../devnet/tokens.ts'
import {
  createTrafficChainClient,
  type TrafficChain,
} from '../../../devnet/traffic/trafficChainClient.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeEvent, EventType, Hex as LowerHex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { decodeBridgeLog } from '../../../src/event/decodeBridgeLog.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import { attestedCalls, readIntentOn } from '../../rig/attestedCalls.ts'
import { findVaultEvent, vaultCalls } from '../../rig/orderVaultCalls.ts'
import { createPlaceholderBlob } from '../../rig/placeholderBlob.ts'
import { createStandInEnclave } from '../../rig/standInEnclave.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { startDeployed } from '../../run/startDeployed.ts'

const WINDOWS = { firm: 20, pickup: 100, execution: 1_000, grace: 100 }
const AUCTION = 60
const AMOUNT_A = worth('USDC', 10_000)
const AMOUNT_B = worth('ZEN', 9_000)
const ORDER_AMOUNT = worth('USDC', 5_000)
const ORDER_PERIOD = 200n

/** A chain with a bridge: a real node that mines each transaction at once. */
export type BridgeChain = TrafficChain & {
  name: string
  node: RunningAnvil
  config: ChainConfig
}

export type BridgePair = {
  base: BridgeChain
  horizen: BridgeChain
  play: ReturnType<typeof playOn>
  stop(): Promise<void>
}

export type PairOptions = DeploymentChoices & {
  /** Whether the solvers have sealing keys and stakes from the start; default: yes. */
  stakes?: boolean
}

/** Two chains, everything deployed on both by the devnet's own means. */
export async function startBridgePair(options: PairOptions = {}): Promise<BridgePair> {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    WINDOWS,
  )
  const open = (name: string, chainId: number, other: number) =>
    openBridgeChain(contracts, name, chainId, other, { options })
  const [base, horizen] = await Promise.all([
    open('base_sepolia', 84532, 2651420),
    open('horizen_testnet', 2651420, 84532),
  ])
  return {
    base,
    horizen,
    play: playOn(base, horizen),
    stop: async () => {
      await Promise.all([base.node.stop(), horizen.node.stop()])
    },
  }
}

type OpenOptions = {
  port?: number
  options?: PairOptions
  /** With another number, the same is on a chain of other blocks. */
  attempt?: number
}

/**
 * One chain with everything deployed, on a port of its choice or the given one. The registry knows three
 * keys of three operators, `deriveDevnetAccounts().attesters`, which stand in for enclaves.
 */
export async function openBridgeChain(
  contracts: DevnetContracts,
  name: string,
  chainId: number,
  other: number,
  { port, options: choices = {}, attempt = 1 }: OpenOptions = {},
): Promise<BridgeChain> {
  const onNode = ({ rpc }: RunningAnvil) =>
    createTrafficChainClient({ name, chainId, rpc }, contracts, deriveDevnetAccounts())
  const extraArguments = ['--accounts', String(FUNDED_ACCOUNTS)]
  const options = { chainId, extraArguments, ...(port !== undefined && { port }) }
  const identity = { salt: contracts.salt, other, choices, attempt }
  const node = await startDeployed(options, identity, (running) =>
    deployAll(onNode(running), other, choices),
  )
  const chain = onNode(node)
  const config = {
    name,
    chainId,
    rpcUrls: [node.rpc],
    wsUrl: node.ws,
    bridge: contracts.bridge,
    startBlock: 0,
    confirmations: 1,
    // The other chain is followed without its vault: not every chain has one.
    ...(chainId === 84532 && { vault: contracts.vault }),
  }
  return { ...chain, name, node, config }
}

async function deployAll(
  chain: TrafficChain,
  other: number,
  { stakes = true, ...choices }: PairOptions,
): Promise<void> {
  const { client, contracts, solvers } = chain
  const accounts = deriveDevnetAccounts()
  await setUpDevnetChain(client, contracts, accounts, [other], choices)
  for (const [position, attester] of accounts.attesters.entries())
    await trustStandIn(chain, attester, accounts.operators[position])
  if (!stakes) return
  for (const [position, solver] of solvers.entries())
    await stakeAccount(client, solver, accounts.solvers[position]!, contracts)
}

/** Registers a key of the test's own as if an enclave held it; default: the first attester and operator. */
export async function trustStandIn(
  { client, contracts, relayer }: TrafficChain,
  attester: DevnetAccount = deriveDevnetAccounts().attesters[0],
  operator: DevnetAccount = deriveDevnetAccounts().operators[0],
): Promise<void> {
  const { quoting } = deriveDevnetAccounts()
  const enclave = createStandInEnclave(client, contracts.verifier, attester, quoting)
  await registerEnclave(client, relayer, contracts.registry, enclave, operator)
}

/** Actions on the source chain `source` for intents to `destination`. */
export function playOn(source: BridgeChain, destination: BridgeChain) {
  const { contracts } = source
  const [sender, , payee] = source.senders as [AccountSender, AccountSender, AccountSender]
  const solver = source.solvers[0] as AccountSender
  const attested = attestedCalls(source)
  const vault = vaultCalls(source)
  const send = (from: AccountSender, data: Hex) => from.execute({ to: contracts.bridge, data })
  return {
    async create(blob: Hex = '0x', auction = AUCTION): Promise<bigint> {
      const data = encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'createIntent',
        args: [
          ...([contracts.tokens.USDC, contracts.tokens.ZEN] as const),
          ...([AMOUNT_A, AMOUNT_B, worth('USDC', 100)] as const),
          ...([BigInt(destination.chainId), BigInt(auction)] as const),
        ],
      })
      const receipt = await send(sender, concat([data, blob]))
      return eventIn(receipt, 'IntentCreated').args.intentId
    },
    anchor: async (id: bigint, terms: Parameters<typeof attested.anchor>[1] = {}) =>
      send(source.relayer, await attested.anchor(id, terms)),
    append: async (id: bigint, blob?: Hex) => send(source.relayer, await attested.append(id, blob)),
    /** The sender's own naming of recipients, by a blob that nobody can open unless it is given. */
    name: (id: bigint, blob: Hex = createPlaceholderBlob(3, source.chainId, id)) =>
      send(sender, call('nameRecipients', [id, blob])),
    bid: (id: bigint, more = 1n, from = solver) =>
      send(from, call('placeBid', [id, AMOUNT_B + more])),
    async deposit(id: bigint, more = 1n, from = solver): Promise<TransactionReceipt> {
      const { paramsHash, blobsHash } = await readIntentOn(source, id)
      return send(from, call('depositAndPickup', [id, paramsHash, blobsHash, AMOUNT_B + more]))
    },
    ask: (id: bigint) => send(solver, call('askRecipients', [id])),
    reveal: async (id: bigint, sealed: Hex) =>
      send(source.relayer, await attested.reveal(id, sealed)),
    /** An order of the given number of tranches, and its id; `salt` tells it from others. */
    async fundOrder(salt: number, tranches = 2, seconds = 10_000): Promise<Hex> {
      const owner = deriveDevnetAccounts().senders[0]!
      const { USDC: token, ZEN: tokenB } = contracts.tokens
      const totalAmount = ORDER_AMOUNT * BigInt(tranches) + 7n
      // Mines a block: the latest one of a chain that was loaded may be older than the deadline is long.
      await approve(sender, token, contracts.vault, totalAmount)
      const { timestamp: now } = await source.client.getBlock()
      const terms = {
        owner: owner.address,
        token,
        destChainId: BigInt(destination.chainId),
        tokenB,
        expectedAmountB: AMOUNT_B,
        totalAmount,
        amountPerPeriod: ORDER_AMOUNT,
        period: ORDER_PERIOD,
        startTime: now - 5n,
        endTime: now + BigInt(seconds),
        deadline: now + 300n,
      }
      const encrypted = `0x${'5a'.repeat(100)}${salt.toString(16).padStart(8, '0')}` as const
      const data = await vault.fund(terms, encrypted, owner)
      const receipt = await source.relayer.execute({ to: contracts.vault, data })
      return findVaultEvent(receipt, 'OrderFunded').args.orderId
    },
    async fireTranche(orderId: Hex, n: number): Promise<bigint> {
      const blob = createPlaceholderBlob(1, source.chainId, BigInt(n))
      const data = await vault.fire(orderId, n, blob)
      const receipt = await source.relayer.execute({ to: contracts.vault, data })
      return findVaultEvent(receipt, 'TrancheFired').args.intentId
    },
    closeOrder: async (orderId: Hex) =>
      source.relayer.execute({ to: contracts.vault, data: await vault.closeSigned(orderId) }),
    /** By the owner, without anybody's word. */
    leaveOrder: (orderId: Hex) =>
      sender.execute({ to: contracts.vault, data: vault.close(orderId) }),
    letPeriodPass: () => pass(source, Number(ORDER_PERIOD)),
    cancel: (id: bigint) => send(sender, call('cancelIntent', [id])),
    refund: (id: bigint) => send(payee, call('refund', [id])),
    refundUndelivered: async (id: bigint) =>
      send(source.relayer, await attested.refundUndelivered(id)),
    collectFees: () => send(payee, call('collectFees', [contracts.tokens.USDC])),
    async deliver(id: bigint, more = 1n): Promise<TransactionReceipt> {
      const { paramsHash, fillDeadline } = await readIntentOn(source, id)
      const data = encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'solveIntent',
        args: [
          ...([BigInt(source.chainId), id, paramsHash, contracts.tokens.ZEN] as const),
          ...([[payee.address], [AMOUNT_B + more], lastMoment(fillDeadline)] as const),
        ],
      })
      return (destination.solvers[0] as AccountSender).execute({ to: contracts.bridge, data })
    },
    async settle(id: bigint, solved: TransactionReceipt): Promise<void> {
      const { chain2IntentId } = eventIn(solved, 'IntentSolved').args
      await send(source.relayer, await attested.settle(id, chain2IntentId))
    },
    /** To where an intent's recipients stand, and solvers begin to bid. */
    async letRecipientsStand(id: bigint): Promise<void> {
      const { firmAt } = await readIntentOn(source, id)
      const { timestamp } = await source.client.getBlock()
      if (timestamp < firmAt) await pass(source, Number(firmAt - timestamp))
    },
    /** Lets the auction of the latest intent end. */
    endAuction: () => pass(source, AUCTION),
    letPickupPass: () => pass(source, AUCTION + 2 * WINDOWS.pickup),
    letDeliveryPass: () => pass(source, WINDOWS.execution + WINDOWS.grace),
    /** To the part of the execution window, in quarters, that begins so long after a deposit of now. */
    letQuartersPass: (quarters: number) => pass(source, (quarters * WINDOWS.execution) / 4),
    /**
     * To after the deadline by both clocks, and before anybody could refund without the enclaves' word.
     * Only the source's clock goes ahead for an auction: the destination's makes up for it.
     */
    async letDeadlinePass(): Promise<void> {
      await pass(source, WINDOWS.execution)
      const [there, here] = await Promise.all([source, destination].map(timeOn))
      await pass(destination, Math.max(WINDOWS.execution, there! - here!))
    },
  }

  function call(functionName: never | string, args: readonly unknown[]): Hex {
    return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
  }
}

/** A delivery of an intent that nobody has picked up is worth nothing, and can be made all the same. */
function lastMoment(fillDeadline: bigint): bigint {
  return fillDeadline === 0n ? 2n ** 32n : fillDeadline - 1n
}

async function approve(from: AccountSender, token: Hex, to: Hex, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, amount] })
  await from.execute({ to: token, data })
}

async function timeOn({ client }: BridgeChain): Promise<number> {
  return Number((await client.getBlock()).timestamp)
}

async function pass(chain: BridgeChain, seconds: number): Promise<void> {
  await chain.client.increaseTime({ seconds })
  await chain.client.mine({ blocks: 1 })
}

function eventIn<Type extends EventType>(
  receipt: TransactionReceipt,
  type: Type,
): Extract<BridgeEvent, { type: Type }> {
  for (const log of receipt.logs) {
    const event = decodeBridgeLog(log as never, {} as never)
    if (event?.type === type) return event as Extract<BridgeEvent, { type: Type }>
  }
  throw new Error(`no ${type} in transaction ${receipt.transactionHash}`)
}

/** Every event on a bridge, straight from the node; `fromBlock` on, by default all. */
export async function readBridgeEvents(chain: BridgeChain, fromBlock = 0n): Promise<BridgeEvent[]> {
  const events = await readChainEvents(chain, fromBlock)
  return events.filter((event) => 'address' in event)
}

/** The same, with those of the vault where the chain is followed with one. */
export async function readChainEvents(chain: BridgeChain, fromBlock = 0n): Promise<ChainEvent[]> {
  const { client, config } = chain
  const address = [config.bridge, ...(config.vault ? [config.vault] : [])]
  const logs = await client.getLogs({ address, fromBlock })
  const points = new Map<string, Promise<{ from: string; timestamp: bigint }>>()
  const events = await Promise.all(
    logs.map(async (log) => {
      const known = points.get(log.transactionHash) ?? pointOf(chain, log.transactionHash)
      points.set(log.transactionHash, known)
      const { from, timestamp } = await known
      return decodeContractLog(config, log as never, {
        chainId: chain.chainId,
        blockNumber: Number(log.blockNumber),
        blockHash: log.blockHash as LowerHex,
        blockTimestamp: Number(timestamp),
        logIndex: log.logIndex,
        transactionHash: log.transactionHash as LowerHex,
        transactionFrom: from.toLowerCase() as LowerHex,
      })
    }),
  )
  return events.filter((event) => event !== null)
}

async function pointOf({ client }: BridgeChain, hash: Hex) {
  const { from, blockHash } = await client.getTransaction({ hash })
  const { timestamp } = await client.getBlock({ blockHash: blockHash as Hex })
  return { from, timestamp }
}
