import type { Hex } from 'viem'
import { TransactionReceiptNotFoundError } from 'viem'
import { createChainClients } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import type { SettleHints } from '../../../services/relayer/settlement/judgeSettleRequest.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { type ApiError, BadRequestError, UnavailableError } from '../../http/apiError.ts'

/** Finds out why the index lacks a delivery that a caller claims. */
export type MissingDeliveryLookup = {
  /** Null if the transaction does deliver the intent: it will be indexed soon. */
  whyMissing(key: IntentKey, hints: SettleHints): Promise<ApiError | null>
}

/** Milliseconds for which an answer is cached. */
const CACHE_MS = 5_000

/** Transactions looked up per intent in that time. A winner needs one; a flood gets no more. */
const MAX_PER_INTENT = 4

/** @param chains the configured chains, whose nodes are asked */
export function createMissingDeliveryLookup(chains: readonly ChainConfig[]): MissingDeliveryLookup {
  const clients = createChainClients(chains, 3_000)
  const bridges = new Map(chains.map(({ chainId, bridge }) => [chainId, bridge.toLowerCase()]))
  const recent = new Map<string, { at: number; answer: Promise<ApiError | null> }>()

  async function lookUp(
    intentId: bigint,
    { destChainId, solveTxHash }: SettleHints,
  ): Promise<ApiError | null> {
    const client = clients.get(destChainId)
    if (!client) return notFound()
    try {
      const { status, logs } = await client.getTransactionReceipt({ hash: solveTxHash as Hex })
      if (status === 'reverted') {
        return new BadRequestError('the solve transaction reverted', 'SETTLEMENT_REVERTED')
      }
      const bridge = bridges.get(destChainId)
      const isDelivery = logs.some(
        ({ address, topics }) =>
          address.toLowerCase() === bridge &&
          topics[3] !== undefined &&
          BigInt(topics[3]) === intentId,
      )
      return isDelivery ? null : notFound()
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return notFound()
      const words = 'the chain’s nodes don’t answer: try again'
      return new UnavailableError(words, 'RPC_UNREACHABLE', 5, error)
    }
  }

  return {
    whyMissing({ sourceChainId, intentId }, hints) {
      const now = performance.now()
      for (const [key, { at }] of recent) if (now - at > CACHE_MS) recent.delete(key)
      const intent = `${sourceChainId}:${intentId}:`
      // Keyed by hash, so that a stranger's faulty transaction isn't reported to the winner.
      const key = `${intent}${hints.solveTxHash.toLowerCase()}`
      const known = recent.get(key)
      if (known) return known.answer
      const others = [...recent.keys()].filter((other) => other.startsWith(intent)).length
      if (others >= MAX_PER_INTENT) return Promise.resolve(busy())
      const answer = lookUp(intentId, hints)
      recent.set(key, { at: now, answer })
      return answer
    },
  }
}

function busy(): ApiError {
  return new UnavailableError(
    'too many different transactions were named for this intent: try again',
    'SETTLEMENT_BUSY',
    5,
  )
}

function notFound(): ApiError {
  return new BadRequestError('the winner has not delivered anything', 'SOLVE_NOT_FOUND')
}
