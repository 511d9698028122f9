import { createPublicClient, http, type PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../chains.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Witnesses } from './witnesses.ts'

/** Milliseconds that a witness has for one answer. */
const PATIENCE = 10_000

/** Witnesses that are asked over JSON-RPC, each by itself: nothing here chooses whom to believe. */
export function rpcWitnesses(chains: readonly EnclaveChain[]): Witnesses {
  const clients = new Map(chains.map((chain) => [chain.chainId, chain.witnesses.map(clientOf)]))

  /** Every witness's answer; if one has none there is no answer at all. */
  async function askAll<Answer>(
    chainId: number,
    ask: (client: PublicClient) => Promise<Answer>,
  ): Promise<[Answer, ...Answer[]]> {
    try {
      const [first, ...others] = await Promise.all((clients.get(chainId) ?? []).map(ask))
      if (first !== undefined) return [first, ...others]
    } catch {
      // What a provider says of its failure may quote its URL, and the key in it.
    }
    throw new EnclaveError('WITNESS_UNREACHABLE')
  }

  return {
    async head(chainId) {
      const heads = await askAll(chainId, (client) => client.getBlock({ blockTag: 'latest' }))
      const lowest = heads.reduce((low, head) => (head.number < low.number ? head : low))
      return { number: Number(lowest.number), timestamp: Number(lowest.timestamp) }
    },
    async block(chainId, number) {
      const blocks = await askAll(chainId, (client) =>
        client.getBlock({ blockNumber: BigInt(number), includeTransactions: false }),
      )
      const [{ hash, transactions }] = blocks
      if (blocks.some((other) => other.hash !== hash)) {
        throw new EnclaveError('BLOCK_NOT_CANONICAL')
      }
      return { hash: lower(hash), transactions: transactions.map(lower) }
    },
    async isWalletSignature(chainId, { wallet, message, signature }) {
      const says = (client: PublicClient) =>
        client.verifyMessage({ address: wallet, message, signature })
      return (await askAll(chainId, says)).every((isValid) => isValid)
    },
  }
}

function clientOf(url: string): PublicClient {
  return createPublicClient({ transport: http(url, { timeout: PATIENCE, retryCount: 1 }) })
}

function lower(hash: Hex): Hex {
  return hash.toLowerCase() as Hex
}
