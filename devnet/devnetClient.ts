import {
  type Chain,
  type PublicActions,
  type PublicClient,
  publicActions,
  type TestActions,
  type Transport,
  testActions,
} from 'viem'
import { createChainClient } from '../services/chain/chainClient.ts'

/** A chain client with the test actions of a development node (set code, set balances). */
export type DevnetClient = PublicClient<Transport, Chain> & PublicActions & TestActions

/** The node is local: if it is slow, the machine is busy, and a retry would only slow it down. */
export function createDevnetClient(chain: {
  name: string
  chainId: number
  rpc: string
}): DevnetClient {
  return createChainClient({ ...chain, rpcUrls: [chain.rpc] }, { timeoutMs: 60_000 })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' })) as DevnetClient
}
