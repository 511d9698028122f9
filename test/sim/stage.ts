import { type BridgeChain, startBridgePair } from '../integration/indexer/bridgePair.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../postgresUnderTest.ts'
import type { Dice } from './dice.ts'
import { type KeptIndexer, keepIndexer } from './keepIndexer.ts'
import { type StormyNode, startStormyNode } from './stormyNode.ts'
import { type Traffic, trafficBetween } from './traffic.ts'

/** A chain of the simulation, as its node has it and as the indexer is shown it. */
export type SimulatedChain = {
  bridge: BridgeChain
  node: StormyNode
  traffic: Traffic
  /** The highest head that the chain ever had. */
  highest: number
}

/** Everything that a simulation plays with. */
export type Stage = {
  chains: [SimulatedChain, SimulatedChain]
  postgres: PostgresUnderTest
  indexer: KeptIndexer
  close(): Promise<void>
}

/** Blocks before the play begins: no reorganisation reaches the bridges' deployment. */
const BEFORE = 40

/** Two chains with bridges and a second between blocks, bad lines to them, a database, an indexer. */
export async function openStage(chance: Dice): Promise<Stage> {
  const [pair, postgres] = await Promise.all([startBridgePair(), startPostgresUnderTest()])
  const traffic = trafficBetween(pair, chance.split())
  const open = async (bridge: BridgeChain, traffic: Traffic): Promise<SimulatedChain> => {
    await bridge.client.setBlockTimestampInterval({ interval: 1 })
    await bridge.client.mine({ blocks: BEFORE })
    const node = await startStormyNode(bridge.node.rpc, chance.split())
    return { bridge, node, traffic, highest: 0 }
  }
  const chains = [await open(pair.base, traffic[0]), await open(pair.horizen, traffic[1])] as const
  const indexer = keepIndexer(
    postgres.databaseUrl,
    chains.map(({ bridge, node }) => ({
      ...bridge.config,
      rpcUrls: [node.url],
      wsUrl: undefined,
    })),
  )
  return {
    chains: [...chains],
    postgres,
    indexer,
    close: async () => {
      await indexer.stop()
      await Promise.all(chains.map(({ node }) => node.close()))
      await Promise.all([pair.stop(), postgres.stop()])
    },
  }
}
