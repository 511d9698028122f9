import { type BridgeChain, startBridgePair } from '../integration/indexer/bridgePair.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../postgresUnderTest.ts'
import type { SeededRandom } from '../rig/seededRandom.ts'
import { type FlakyNode, startFlakyNode } from './flakyNode.ts'
import { type SupervisedIndexer, superviseIndexer } from './superviseIndexer.ts'
import { createTraffic, type Traffic } from './traffic.ts'

/** A simulated chain: its bridge, and the faulty proxy through which the indexer sees it. */
export type SimulatedChain = {
  bridge: BridgeChain
  node: FlakyNode
  traffic: Traffic
  /** The chain's highest head so far. */
  highest: number
}

/** Everything a simulation runs on. */
export type SimulationTestbed = {
  chains: [SimulatedChain, SimulatedChain]
  postgres: PostgresUnderTest
  indexer: SupervisedIndexer
  close(): Promise<void>
}

/** Blocks mined before the simulation, so that no reorganisation reaches the bridges' deployment. */
const BEFORE = 40

/** Starts two chains with bridges and 1 s block timestamps, faulty proxies to them, a database and an indexer. */
export async function openSimulationTestbed(random: SeededRandom): Promise<SimulationTestbed> {
  const [pair, postgres] = await Promise.all([startBridgePair(), startPostgresUnderTest()])
  const traffic = createTraffic(pair, random.split())
  const open = async (bridge: BridgeChain, traffic: Traffic): Promise<SimulatedChain> => {
    await bridge.client.setBlockTimestampInterval({ interval: 1 })
    await bridge.client.mine({ blocks: BEFORE })
    const node = await startFlakyNode(bridge.node.rpc, random.split())
    return { bridge, node, traffic, highest: 0 }
  }
  const chains = [await open(pair.base, traffic[0]), await open(pair.horizen, traffic[1])] as const
  const indexer = superviseIndexer(
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
