import { concat, encodeFunctionData, type Hex, type TransactionReceipt } from 'viem'
import { contractArtifacts } from '../../../contracts/artifacts.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { devnetAccounts, FUNDED_ACCOUNTS } from '../../../services/devnet/accounts.ts'
import { deployDevnet } from '../../../services/devnet/deploy/deployDevnet.ts'
import {
  type DevnetContracts,
  devnetContracts,
} from '../../../services/devnet/deploy/devnetContracts.ts'
import { type RunningAnvil, startAnvil } from '../../../services/devnet/startAnvil.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { blobFor } from '../../../services/devnet/traffic/blobFor.ts'
import { settlementCall } from '../../../services/devnet/traffic/settlementCall.ts'
import { type TrafficChain, trafficChain } from '../../../services/devnet/traffic/trafficChain.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeEvent, EventType, Hex as LowerHex } from '../../../src/event/bridgeEvent.ts'
import { decodeLog } from '../../../src/event/decodeLog.ts'

const WINDOWS = { pickup: 100, execution: 1_000, grace: 100 }
const AUCTION = 60
const AMOUNT_A = worth('USDC', 10_000)
const AMOUNT_B = worth('ZEN', 9_000)

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

/** Two chains, everything deployed on both by the devnet's own means. */
export async function startBridgePair(): Promise<BridgePair> {
  const contracts = devnetContracts(await contractArtifacts(), devnetAccounts(), WINDOWS)
  const [base, horizen] = await Promise.all([
    openBridgeChain(contracts, 'base_sepolia', 84532, 2651420),
    openBridgeChain(contracts, 'horizen_testnet', 2651420, 84532),
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

/** One chain with everything deployed, on a port of its choice or the given one. */
export async function openBridgeChain(
  contracts: DevnetContracts,
  name: string,
  chainId: number,
  other: number,
  port?: number,
): Promise<BridgeChain> {
  const accounts = devnetAccounts()
  const extraArguments = ['--accounts', String(FUNDED_ACCOUNTS)]
  const options = { chainId, blockTime: 0, extraArguments }
  const node = await startAnvil(port === undefined ? options : { ...options, port })
  const chain = trafficChain({ name, chainId, rpc: node.rpc }, contracts, accounts)
  await deployDevnet(chain.client, contracts, accounts, [other])
  const config = {
    ...{ name, chainId, rpcUrls: [node.rpc], wsUrl: node.ws },
    ...{ bridge: contracts.bridge, startBlock: 0, confirmations: 1 },
  }
  return { ...chain, name, node, config }
}

/** What people do on the source chain `source` about intents for `destination`. */
export function playOn(source: BridgeChain, destination: BridgeChain) {
  const { contracts } = source
  const [sender, , payee] = source.senders as [AccountSender, AccountSender, AccountSender]
  const solver = source.solvers[0] as AccountSender
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
    anchor: (id: bigint) =>
      send(source.relayer, call('anchorIntent', [id, 250, blobFor(1, source.chainId, id)])),
    append: (id: bigint) =>
      send(source.relayer, call('appendBlob', [id, blobFor(2, source.chainId, id)])),
    bid: (id: bigint, more = 1n) => send(solver, call('placeBid', [id, AMOUNT_B + more])),
    deposit: (id: bigint, more = 1n) =>
      send(solver, call('depositAndPickup', [id, AMOUNT_B + more])),
    cancel: (id: bigint) => send(sender, call('cancelIntent', [id])),
    refund: (id: bigint) => send(payee, call('refund', [id])),
    collectFees: () => send(payee, call('collectFees', [contracts.tokens.USDC])),
    async deliver(id: bigint, more = 1n): Promise<TransactionReceipt> {
      const data = encodeFunctionData({
        abi: bridgeIntentV2Abi,
        functionName: 'solveIntent',
        args: [
          ...([BigInt(source.chainId), id, contracts.tokens.ZEN] as const),
          ...([[payee.address], [AMOUNT_B + more]] as const),
        ],
      })
      return (destination.solvers[0] as AccountSender).execute({ to: contracts.bridge, data })
    },
    async settle(id: bigint, solved: TransactionReceipt): Promise<void> {
      const { args } = eventIn(solved, 'IntentSolved')
      const { timestamp } = await source.client.getBlock()
      const delivery = {
        chain2IntentId: args.chain2IntentId,
        solveTxHash: solved.transactionHash,
        amountB: args.amountB,
      }
      const observed = { id, solver: solver.address, destChainId: destination.chainId }
      const intent = { ...observed, delivery, feeBps: 250 } as never
      const { attester } = devnetAccounts()
      await send(source.relayer, await settlementCall(source, intent, attester, Number(timestamp)))
    },
    /** Lets the auction of the latest intent end. */
    endAuction: () => pass(source, AUCTION),
    letPickupPass: () => pass(source, AUCTION + 2 * WINDOWS.pickup),
    letDeliveryPass: () => pass(source, WINDOWS.execution + WINDOWS.grace),
  }

  function call(functionName: never | string, args: readonly unknown[]): Hex {
    return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
  }
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
    const event = decodeLog(log as never, {} as never)
    if (event?.type === type) return event as Extract<BridgeEvent, { type: Type }>
  }
  throw new Error(`no ${type} in transaction ${receipt.transactionHash}`)
}

/** Every event on a bridge, straight from the node; `fromBlock` on, by default all. */
export async function eventsOf(chain: BridgeChain, fromBlock = 0n): Promise<BridgeEvent[]> {
  const { client, contracts } = chain
  const logs = await client.getLogs({ address: contracts.bridge, fromBlock })
  const points = new Map<string, Promise<{ from: string; timestamp: bigint }>>()
  const events = await Promise.all(
    logs.map(async (log) => {
      const known = points.get(log.transactionHash) ?? pointOf(chain, log.transactionHash)
      points.set(log.transactionHash, known)
      const { from, timestamp } = await known
      return decodeLog(log as never, {
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
