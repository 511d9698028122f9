import {
  type Account,
  type Chain,
  createWalletClient,
  defineChain,
  http,
  publicActions,
} from 'viem'
import type { DeployClient } from './deploymentSettings.ts'

/**
 * A client that reads a chain and sends from an account. An account given by address alone can read and estimate, but
 * not send.
 */
export function createDeployClient(
  chainId: number,
  rpcUrl: string,
  account: Account,
): DeployClient {
  return createWalletClient({
    account,
    chain: describe(chainId, rpcUrl),
    transport: http(rpcUrl, { timeout: 30_000 }),
    cacheTime: 0,
  }).extend(publicActions)
}

function describe(chainId: number, rpcUrl: string): Chain {
  return defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
}
