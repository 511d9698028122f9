import { createConfig } from 'ponder'
import type { ChainConfig } from './services/config/chainConfig.ts'
import { awaitPonderStartSignal } from './services/indexer/ponder/awaitPonderStartSignal.ts'
import { bridgeIntentV2Abi } from './src/event/abi/bridgeIntentV2.ts'
import { orderVaultAbi } from './src/event/abi/orderVault.ts'

/**
 * Ponder's configuration for one chain, the one in `CAIRN_CHAIN`. Each chain has a process of its own
 * (services/indexer), so that one chain's trouble is no other's.
 */
const chain = readChain(process.env.CAIRN_CHAIN)

/** Milliseconds between polls of the head of a chain without a WebSocket. */
const POLLING_INTERVAL = 500

/** All before this block is in the tables already, and Ponder's checkpoint is there. */
const release = await awaitPonderStartSignal()
const firstMissing = release?.startBlock ?? chain.startBlock
/**
 * Ponder 0.17.7 moves its checkpoint to the final block as soon as it has read all before that one: where that is
 * the first that it has to fetch, a kill before it has would lose it. So it is given one block that it has.
 */
const startBlock = Math.max(firstMissing - 1, chain.startBlock)

export default createConfig({
  ordering: 'multichain',
  database: {
    kind: 'postgres',
    connectionString: process.env.DATABASE_URL as string,
    poolConfig: { max: 10 },
  },
  chains: {
    [chain.name]: {
      id: chain.chainId,
      rpc: chain.rpcUrls,
      ...(chain.wsUrl && { ws: chain.wsUrl }),
      pollingInterval: POLLING_INTERVAL,
      // What is in the tables is never fetched again, and the cache would be larger than they are.
      disableCache: release?.isFolded || firstMissing > chain.startBlock,
    },
  },
  contracts: {
    BridgeIntentV2: {
      abi: bridgeIntentV2Abi,
      chain: chain.name,
      address: chain.bridge,
      startBlock,
    },
    OrderVault: {
      abi: orderVaultAbi,
      // A chain without a vault: the contract is on no chain, and its handlers are never called.
      chain: chain.vault ? { [chain.name]: { address: chain.vault, startBlock } } : {},
    },
  },
})

function readChain(json: string | undefined): ChainConfig {
  if (!json) throw new Error('CAIRN_CHAIN is not set: this process is started by the indexer role')
  return JSON.parse(json)
}
