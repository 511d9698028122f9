import {
  type Chain,
  type PublicActions,
  type PublicClient,
  publicActions,
  type TestActions,
  type Transport,
  testActions,
} from 'viem'
import { chainClient } from '../services/chain/chainClient.ts'

/** A chain client that may also do what only a development node allows (set code, set balances). */
export type DevnetClient = PublicClient<Transport, Chain> & PublicActions & TestActions

/** Its node is on this machine: only a busy machine makes it slow, and then a second request makes it slower. */
export function devnetClient(chain: { name: string; chainId: number; rpc: string }): DevnetClient {
  return chainClient({ ...chain, rpcUrls: [chain.rpc] }, { timeoutMs: 60_000 })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' })) as DevnetClient
}
