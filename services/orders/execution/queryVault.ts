import { BaseError, ContractFunctionRevertedError, type PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../chain/transactions/medianAndMajority.ts'
import { revertOf } from '../../chain/transactions/simulateCall.ts'
import { OrderError } from '../orderError.ts'
import type { ServedChain } from '../ordersContext.ts'
import {
  createClocksDifferError,
  createFundingFailedError,
  createFundingPendingError,
} from './fundingErrors.ts'

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
  // viem takes any internal error of a node for a revert, which would refuse the order for good.
  if (!(error instanceof BaseError) || revertOf(error) === null) return null
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
    return createClocksDifferError('the service’s clock and the chain’s differ by minutes')
  }
  const problem = name === 'Error' ? String(data?.args?.[0] ?? '') : name || reason || 'reverted'
  return createFundingFailedError(problem.slice(0, 100), 'the transfer reverts')
}
