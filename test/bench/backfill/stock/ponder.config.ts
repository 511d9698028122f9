// What a newcomer to Ponder would write for the bridge's events: the baseline of the backfill benchmark.
import { createConfig } from 'ponder'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'

const chain = JSON.parse(process.env.STOCK_CHAIN as string)

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL as string },
  chains: { [chain.name]: { id: chain.chainId, rpc: chain.rpcUrls } },
  contracts: {
    BridgeIntentV2: {
      abi: bridgeIntentV2Abi,
      chain: chain.name,
      address: chain.bridge,
      startBlock: chain.startBlock,
    },
  },
})
