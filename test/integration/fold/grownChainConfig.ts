import { BENCH_BRIDGE } from '../../bench/backfill/growChain.ts'

/** Configuration of a chain that `growChain` has filled, read at this URL. */
export function grownChainConfig(url: string) {
  return {
    name: 'base_sepolia',
    chainId: 84532,
    rpcUrls: [url],
    bridge: BENCH_BRIDGE,
    startBlock: 0,
    confirmations: 1,
  }
}
