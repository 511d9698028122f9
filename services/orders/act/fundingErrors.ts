import { BaseError, ContractFunctionRevertedError, type PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import { OrderError } from '../orderError.ts'
import type { ServedChain } from '../ordersContext.ts'

/** A permanent refusal: the order's tokens can't be transferred. */
export function createFundingFailedError(
  reason: string,
  what: string,
  amounts: Record<string, bigint | string> = {},
): OrderError {
  const amountTexts = Object.entries(amounts).map(([name, value]) => [name, String(value)])
  const words = `the vault can’t take the order’s tokens (${reason}): ${what}. Encrypt and sign the order again; this one stays refused`
  return new OrderError('FUNDING_FAILED', words, { reason, ...Object.fromEntries(amountTexts) })
}

/** Why the service doesn't pay for a funding: `details.reason` and its explanation. */
const NOT_PAID = {
  OWNER_BRINGS_NO_FEE: [
    'owner_brings_no_fee',
    'too many of this owner’s orders brought no fee in the last 24 hours',
  ],
  GAS_BUDGET_SPENT: [
    'gas_budget_spent',
    'owners without deliveries have used up their shared daily gas on this chain',
  ],
  SIGNATURE_TOO_DEAR: ['signature_too_dear', 'checking the owner’s signature costs too much gas'],
} as const

/** The owner must send this valid funding: the recipient, call data and deadline. */
export function createGasNotPaidError(
  why: keyof typeof NOT_PAID,
  call: { to: Hex; data: Hex; deadline: number },
): OrderError {
  const [reason, what] = NOT_PAID[why]
  const words = `the service won’t pay this funding’s gas (${what}): send details.data to details.to yourself before details.deadline, or order again later`
  return new OrderError('GAS_NOT_PAID', words, { reason, ...call })
}

/**
 * A funding without a final result. A revert is final only once its block is confirmed: after a reorg it may succeed
 * in another block, and a refused order must stay unfunded.
 */
export function createFundingPendingError(
  orderId: Hex,
  transaction: Transaction | null = null,
): OrderError {
  const hasReverted = transaction?.state === 'mined' && transaction.succeeded === false
  const words = hasReverted
    ? 'the funding has reverted, in a block that isn’t confirmed yet: send the same order again to see its result'
    : 'the funding is not in a block yet: send the same order again to see its result'
  return new OrderError('FUNDING_PENDING', words, {
    orderId,
    ...(hasReverted && { reason: 'reverted', txHash: transaction.txHash }),
  })
}

/**
 * The answer of most of a chain's nodes: any of them may lie, and a refusal is permanent. A revert counts as a refusal.
 *
 * @param keyOf the part of an answer on which the nodes must agree
 * @throws OrderError the majority's refusal, or a temporary error if the nodes disagree or can't be reached
 */
export async function queryVault<Answer>(
  { nodes }: Pick<ServedChain, 'nodes'>,
  ask: (client: PublicClient) => Promise<Answer>,
  keyOf: (answer: Answer) => string,
): Promise<Answer> {
  type Reply = { answer: Answer } | { refusal: OrderError }
  const askOne = async (client: PublicClient): Promise<Reply> => {
    try {
      return { answer: await ask(client) }
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === null) throw error
      return { refusal }
    }
  }
  // Nodes word the same refusal differently, so only its code is compared.
  const replyKey = (reply: Reply) =>
    'answer' in reply ? `answer ${keyOf(reply.answer)}` : reply.refusal.code
  const agreed = findMajority(
    await nodes.queryAll(askOne, replyKey).catch(throwUnreachable),
    replyKey,
  )
  if (agreed === null)
    throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes disagree: try again')
  if ('answer' in agreed) return agreed.answer
  throw agreed.refusal
}

export function throwUnreachable(): never {
  throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
}

/** Null for any other error, which may be temporary. */
function refusalIn(error: unknown): OrderError | null {
  if (error instanceof OrderError) return error
  if (!(error instanceof BaseError)) return null
  const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError)
  return reverted instanceof ContractFunctionRevertedError ? refusalOfRevert(reverted) : null
}

function refusalOfRevert({ data, reason }: ContractFunctionRevertedError): OrderError {
  const name = data?.errorName ?? ''
  if (name === 'MessageAlreadyUsed') {
    return new OrderError(
      'INVALID_SIGNATURE',
      'this message has placed an order before: sign another',
    )
  }
  if (name === 'WrongOwnerSignature') {
    return new OrderError(
      'INVALID_SIGNATURE',
      'the vault rejects the owner’s signature: sign with the owner’s key, or with its deployed contract (ERC-1271)',
    )
  }
  // These aren't the order's fault: it may be sent again.
  if (name === 'OrderExists') return createFundingPendingError(data?.args?.[0] as Hex)
  if (name === 'DeadlineTooFar' || name === 'RequestLapsed') {
    return new OrderError(
      'RPC_UNREACHABLE',
      'the chain’s clock differs from the service’s: try again',
    )
  }
  const problem = name === 'Error' ? String(data?.args?.[0] ?? '') : name || reason || 'reverted'
  return createFundingFailedError(problem.slice(0, 100), 'the transfer reverts')
}
