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

export function devnetClient(chain: { name: string; chainId: number; rpc: string }): DevnetClient {
  return chainClient({ ...chain, rpcUrls: [chain.rpc] })
    .extend(publicActions)
    .extend(testActions({ mode: 'anvil' })) as DevnetClient
}
