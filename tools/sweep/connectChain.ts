import { type Account, type Chain, createClient, defineChain, publicActions } from 'viem'
import { findChainName } from '../../core/chain/chainNames.ts'
import { createCheckedHttpTransport } from '../checkedHttpTransport.ts'
import { SweepError } from './sweepError.ts'

/** Milliseconds per request. */
const TIMEOUT_MS = 30_000
/** Milliseconds between polls for a receipt. */
const POLL_MS = 500

/** The chain as its node describes it. */
export type SweepChain = Awaited<ReturnType<typeof connectChain>>

/**
 * Connects to a chain by its node's URL alone.
 *
 * @param account sends transactions
 * @param maxFeePerGas limit on the price of gas in wei; null: the chain's default
 * @throws SweepError `RPC_UNREACHABLE`
 */
export async function connectChain(
  url: string,
  account: Account,
  maxFeePerGas: bigint | null = null,
) {
  const transport = createCheckedHttpTransport(url, { timeout: TIMEOUT_MS, retryCount: 2 })
  // Only the host is ever shown: the rest of a URL may hold a key.
  const { host } = new URL(url)
  const chainId = await requestChainId(transport, host)
  const name = findChainName(chainId) ?? `chain ${chainId}`
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  }) as Chain
  const client = createClient({
    account,
    chain,
    transport,
    cacheTime: 0,
    pollingInterval: POLL_MS,
  }).extend(publicActions)
  return { chainId, name, host, client, maxFeePerGas }
}

async function requestChainId(
  transport: ReturnType<typeof createCheckedHttpTransport>,
  host: string,
): Promise<number> {
  const unknown = (cause: unknown) => {
    const message = `${host} doesn't say which chain it serves: check --rpc, or name another node`
    return new SweepError('RPC_UNREACHABLE', message, { cause })
  }
  const asking = createClient({ transport }).extend(publicActions).getChainId()
  const chainId = await asking.catch((cause: unknown) => {
    throw unknown(cause)
  })
  if (!Number.isSafeInteger(chainId) || chainId <= 0) throw unknown(null)
  return chainId
}
