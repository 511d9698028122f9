import type { PublicClient } from 'viem'
import type { Sending } from '../../services/chain/history/agreedReads.ts'
import { NodesDisagreeError } from '../../services/chain/history/historyErrors.ts'
import { TIMEOUT_MS } from '../../services/chain/history/requestInBatches.ts'
import { resultOf } from '../../services/chain/rpcPool/provider.ts'
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
  const { symbol, decimals } = await nodes
    .read(
      `the token ${address} of ${chain.name}`,
      (sending) => readFrom(sending, address),
      (answer) => `${answer.symbol} with ${answer.decimals} decimals`,
    )
    .catch((error: unknown) => {
      if (error instanceof NodesDisagreeError) return UNNAMED
      throw error
    })
  return { chainId, address, symbol, decimals, source: 'token' }
}

/** Anyone can introduce a token whose calls fail, or give each node something else: its address names it then. */
const UNNAMED = { symbol: null, decimals: null }

async function readFrom(
  { send }: Sending,
  address: Hex,
): Promise<Pick<TokenName, 'symbol' | 'decimals'>> {
  const request = async ({ method, params }: { method: string; params: readonly unknown[] }) => {
    const { answers } = await send([{ method, params }], { totalTimeoutMs: TIMEOUT_MS })
    return resultOf(answers[0])
  }
  const client = { request } as unknown as Pick<PublicClient, 'request'>
  return readTokenMetadata(client, address).catch((error: unknown) => {
    if (error instanceof RpcError && !error.retryable) return UNNAMED
    throw error
  })
}
