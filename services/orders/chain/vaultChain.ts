import type { Chain, PublicClient, Transport } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { createChainClient } from '../../chain/chainClient.ts'
import { fetchEvents } from '../../chain/history/fetchEvents.ts'
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
  /** Reads the vault's storage with proofs. */
  storage: StorageProofReader
  dataFees: RollupDataFees
  nodes: Pick<ChainNodes, 'queryAll' | 'priorityFees'>
}

/** The configured chains that have a vault. */
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
    return [{ config, chainId, name, vault, bridge, client, pool, storage, ...fees }]
  })
}

/** The events of a chain's vault and bridge, in chain order. */
export async function* readEvents(
  { name, chainId, config, bridge, vault, pool }: VaultChain,
  range: { from: number; to: number },
): AsyncGenerator<ChainEvent> {
  const { rpcUrls, startBlock } = config
  const contracts = { name, chainId, rpcUrls, startBlock, bridge, vault }
  for await (const { events } of fetchEvents(pool, contracts, range)) yield* events
}
