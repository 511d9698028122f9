import { serialize } from 'node:v8'
import type { Chain, PublicClient, Transport } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { createChainClient } from '../../chain/chainClient.ts'
import {
  type AgreedReads,
  type Counted,
  createAgreedReads,
  nameHeader,
  type Sending,
} from '../../chain/history/agreedReads.ts'
import { fetchEvents } from '../../chain/history/fetchEvents.ts'
import { UnusableAnswerError } from '../../chain/history/historyErrors.ts'
import { requestHeader } from '../../chain/history/requestInBatches.ts'
import type { Header } from '../../chain/history/rpcSchemas.ts'
import {
  createStorageProofReader,
  type StorageProofReader,
} from '../../chain/proof/storageProofReader.ts'
import { createRpcPool, type RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { type ChainNodes, createChainNodes } from '../../chain/transactions/chainNodes.ts'
import {
  createRollupDataFees,
  type RollupDataFees,
} from '../../chain/transactions/rollupDataFees.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'

/** The events that orders are folded from: on a busy bridge, a small part of all. */
export const ORDER_EVENT_TYPES = [
  'OrderFunded',
  'TrancheFired',
  'OrderClosed',
  'IntentSettled',
  'IntentCancelled',
  'IntentRefunded',
  'VaultCreditAdded',
  'VaultCreditClaimed',
] as const satisfies ChainEventType[]

/** A chain on which orders can be funded. */
export type VaultChain = {
  config: ChainConfig
  chainId: number
  name: string
  /** Addresses in lower case. */
  vault: Hex
  bridge: Hex
  client: PublicClient<Transport, Chain>
  pool: RpcPool
  /** Reads on which most of the chain's nodes agree. */
  agreed: AgreedReads
  /** Reads the vault's storage with proofs. */
  storage: StorageProofReader
  dataFees: RollupDataFees
  nodes: Pick<ChainNodes, 'queryAll' | 'priorityFees'>
}

/** A chain on which orders can be delivered. */
export type DestinationChain = Pick<VaultChain, 'bridge' | 'nodes'>

export function createDestinationChains(
  configs: readonly ChainConfig[],
): Map<number, DestinationChain> {
  return new Map(
    configs.map(({ chainId, bridge, rpcUrls }) => [
      chainId,
      { bridge: bridge.toLowerCase() as Hex, nodes: createChainNodes(rpcUrls) },
    ]),
  )
}

export function createVaultChains(configs: readonly ChainConfig[]): VaultChain[] {
  return configs.flatMap((config) => {
    if (config.vault === undefined) return []
    const { chainId, name } = config
    const vault = config.vault.toLowerCase() as Hex
    const bridge = config.bridge.toLowerCase() as Hex
    const pool = createRpcPool(config)
    const client = createChainClient(config, { timeoutMs: 5_000 })
    const storage = createStorageProofReader(pool, vault)
    const nodes = createChainNodes(config.rpcUrls)
    const fees = { nodes, dataFees: createRollupDataFees(nodes, chainId) }
    const agreed = createAgreedReads(pool)
    return [{ config, chainId, name, vault, bridge, client, pool, agreed, storage, ...fees }]
  })
}

type Blocks = { from: number; to: number }

/**
 * The events of a chain's vault and bridge from which orders are folded, in chain order, by most of the chain's nodes: a
 * single one could hide orders, halt them, or invent fees that were paid.
 *
 * @param final the highest block whose events count for good. Nodes that still lack the range's last block must not leave
 *   those to a single one: without a majority for the whole range, they are read once more, alone
 */
export async function readAgreedEvents(
  chain: VaultChain,
  { from, to }: Blocks,
  final: number,
): Promise<ChainEvent[]> {
  const read = await readCountedEvents(chain, { from, to })
  const { answer: events, byMost } = read
  if (byMost || final < from) return events
  if (to <= final) return requireUndisputed(chain, read)
  const finalRead = await readCountedEvents(chain, { from, to: final })
  return [
    ...requireUndisputed(chain, finalRead),
    ...events.filter(({ point }) => point.blockNumber > final),
  ]
}

function readCountedEvents(
  { name, chainId, config, bridge, vault, agreed }: VaultChain,
  range: Blocks,
): Promise<Counted<ChainEvent[]>> {
  const { rpcUrls, startBlock } = config
  const contracts = { name, chainId, rpcUrls, startBlock, bridge, vault }
  return agreed.readCounted(
    async (sending) => {
      const parts: ChainEvent[][] = []
      for await (const { events } of fetchEvents(sending, contracts, range, ORDER_EVENT_TYPES))
        parts.push(events)
      return parts.flat()
    },
    (events) => serialize(events).toString('latin1'),
  )
}

/** A final block, as most of the chain's nodes give it. */
export async function readAgreedHeader(chain: VaultChain, block: number): Promise<Header> {
  const ask = (sending: Sending) => requestHeader(sending, block)
  return requireUndisputed(chain, await chain.agreed.readCounted(ask, nameHeader))
}

/** For what counts for good: a lie would outlast the liar, so wait until another node answers. */
function requireUndisputed<Answer>(
  { name }: VaultChain,
  { answer, isDisputed }: Counted<Answer>,
): Answer {
  if (!isDisputed) return answer
  throw new UnusableAnswerError(
    `${name}: its nodes contradict each other about a final block, and too few answer to decide`,
  )
}
