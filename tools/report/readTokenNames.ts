import type { PublicClient } from 'viem'
import { TIMEOUT_MS } from '../../services/chain/history/requestInBatches.ts'
import { RpcError } from '../../services/chain/rpcPool/rpcError.ts'
import { readTokenMetadata } from '../../services/chain/tokens/readTokenMetadata.ts'
import { toPrintableText } from '../../services/chain/tokens/toPrintableText.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ConnectedChain } from '../replay/chooseLastBlocks.ts'

/** A token's symbol and decimals, and their source; null where unknown. */
export type TokenName = {
  chainId: number
  address: Hex
  symbol: string | null
  decimals: number | null
  source: 'configuration' | 'token'
}

export type TokenNames = { find(chainId: number, address: Hex): TokenName | null; all: TokenName[] }

const LONGEST_SYMBOL = 32

/** Names of the given tokens: the operator's, else the token contract's own. */
export async function readTokenNames(
  chains: readonly ConnectedChain[],
  tokens: ReadonlyMap<number, ReadonlySet<Hex>>,
): Promise<TokenNames> {
  const all: TokenName[] = []
  for (const asked of chains) {
    const addresses = [...(tokens.get(asked.chain.chainId) ?? [])].sort()
    // One after another: a token may be slow to answer, and there are few.
    for (const address of addresses) all.push(await readTokenName(asked, address))
  }
  const byKey = new Map(all.map((token) => [`${token.chainId}/${token.address}`, token]))
  return { all, find: (chainId, address) => byKey.get(`${chainId}/${address}`) ?? null }
}

async function readTokenName({ chain, nodes }: ConnectedChain, address: Hex): Promise<TokenName> {
  const { chainId } = chain
  const configured = Object.entries(chain.tokens ?? {})
  const named = configured.find(([, token]) => token.address.toLowerCase() === address)
  if (named) {
    const [symbol, { decimals }] = named
    return {
      chainId,
      address,
      decimals,
      source: 'configuration',
      symbol: toPrintableText(symbol, LONGEST_SYMBOL),
    }
  }
  const request = ({ method, params }: { method: string; params: readonly unknown[] }) =>
    nodes.pool.request(method, params, { totalTimeoutMs: TIMEOUT_MS })
  const client = { request } as unknown as Pick<PublicClient, 'request'>
  const { symbol, decimals } = await readTokenMetadata(client, address).catch((error: unknown) => {
    // Anyone can introduce a token whose calls fail: the report falls back to its address.
    if (error instanceof RpcError && !error.retryable) return { symbol: null, decimals: null }
    throw error
  })
  return { chainId, address, symbol, decimals, source: 'token' }
}
