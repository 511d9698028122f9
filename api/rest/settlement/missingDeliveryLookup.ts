import type { Hex } from 'viem'
import { TransactionReceiptNotFoundError } from 'viem'
import { chainClient } from '../../../services/chain/chainClient.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import type { SettleHints } from '../../../services/relayer/settlement/judgeSettleRequest.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { type ApiError, BadRequestError, UnavailableError } from '../../http/apiError.ts'

/** Finds out why the index has no delivery although a caller claims one. */
export type MissingDeliveryLookup = {
  /** Null when the chain has a delivery of the intent there, so that the index will show it soon. */
  whyMissing(key: IntentKey, hints: SettleHints): Promise<ApiError | null>
}

/** Milliseconds for which an answer is given again. */
const ONCE_IN_MS = 5_000

/** Transactions that are looked up per intent in that time: a winner needs one, a flood gets no more. */
const MAX_PER_INTENT = 4

/** @param chains those whose nodes may be asked, a few times in five seconds for each intent */
export function createMissingDeliveryLookup(chains: readonly ChainConfig[]): MissingDeliveryLookup {
  const clients = new Map(
    chains.map((chain) => [chain.chainId, chainClient(chain, { timeoutMs: 3_000 })]),
  )
  const bridges = new Map(chains.map(({ chainId, bridge }) => [chainId, bridge.toLowerCase()]))
  const asked = new Map<string, { at: number; answer: Promise<ApiError | null> }>()

  async function ask(
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
      const isThere = logs.some(
        ({ address, topics }) =>
          address.toLowerCase() === bridge &&
          topics[3] !== undefined &&
          BigInt(topics[3]) === intentId,
      )
      return isThere ? null : notFound()
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return notFound()
      return new UnavailableError('the chain’s nodes don’t answer', 'RPC_UNREACHABLE', 5, error)
    }
  }

  return {
    whyMissing({ sourceChainId, intentId }, hints) {
      const now = performance.now()
      for (const [name, { at }] of asked) if (now - at > ONCE_IN_MS) asked.delete(name)
      const intent = `${sourceChainId}:${intentId}:`
      // By hash: a fault in a stranger's transaction must not be the winner's answer.
      const name = `${intent}${hints.solveTxHash.toLowerCase()}`
      const known = asked.get(name)
      if (known) return known.answer
      const others = [...asked.keys()].filter((other) => other.startsWith(intent)).length
      if (others >= MAX_PER_INTENT) return Promise.resolve(busy())
      const answer = ask(intentId, hints)
      asked.set(name, { at: now, answer })
      return answer
    },
  }
}

function busy(): ApiError {
  return new UnavailableError(
    'too many different transactions are claimed for this intent',
    'SETTLEMENT_BUSY',
    5,
  )
}

function notFound(): ApiError {
  return new BadRequestError('the winner has not delivered anything', 'SOLVE_NOT_FOUND')
}
