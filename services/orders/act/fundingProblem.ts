import { BaseError, ContractFunctionRevertedError, type PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { majority } from '../../chain/transactions/agreement.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import { OrderError } from '../orderError.ts'
import type { ServedChain } from '../ordersContext.ts'

/** The order is refused permanently, since its tokens can't be transferred. */
export function fundingFailed(
  reason: string,
  what: string,
  amounts: Record<string, bigint | string> = {},
): OrderError {
  const texts = Object.entries(amounts).map(([name, value]) => [name, String(value)])
  const words = `the vault can’t take the order’s tokens (${reason}): ${what}. Encrypt and sign the order again; this one stays refused`
  return new OrderError('FUNDING_FAILED', words, { reason, ...Object.fromEntries(texts) })
}

/** Why the service doesn't pay for a funding: `details.reason`, and words. */
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

/** A valid funding that its owner must send: to whom, what, and by when. */
export function gasNotPaid(
  why: keyof typeof NOT_PAID,
  call: { to: Hex; data: Hex; deadline: number },
): OrderError {
  const [reason, what] = NOT_PAID[why]
  const words = `the service won’t pay this funding’s gas (${what}): send details.data to details.to yourself before details.deadline, or order again later`
  return new OrderError('GAS_NOT_PAID', words, { reason, ...call })
}

/**
 * A funding that isn't over. One that reverted in a block counts as failed only once the block is confirmed:
 * a reorg may give it another in which it succeeds, and a refused order must stay unfunded.
 */
export function fundingPending(orderId: Hex, transaction: Transaction | null = null): OrderError {
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
 * What most of a chain's nodes say about an order: any of them may lie, and a refusal is permanent. A revert is a
 * refusal.
 *
 * @param wordOf what of an answer they have to agree on
 * @throws OrderError the refusal that most give; one that passes where the nodes disagree or can't be reached
 */
export async function onVault<Answer>(
  { nodes }: Pick<ServedChain, 'nodes'>,
  ask: (client: PublicClient) => Promise<Answer>,
  wordOf: (answer: Answer) => string,
): Promise<Answer> {
  type Said = { answer: Answer } | { refusal: OrderError }
  const askOne = async (client: PublicClient): Promise<Said> => {
    try {
      return { answer: await ask(client) }
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === null) throw error
      return { refusal }
    }
  }
  // Nodes put the same refusal in different words.
  const wordOfSaid = (said: Said) =>
    'answer' in said ? `answer ${wordOf(said.answer)}` : said.refusal.code
  const agreed = majority(await nodes.queryAll(askOne, wordOfSaid).catch(unreachable), wordOfSaid)
  if (agreed === null)
    throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes disagree: try again')
  if ('answer' in agreed) return agreed.answer
  throw agreed.refusal
}

export function unreachable(): never {
  throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
}

/** Null for anything but a refusal, which may pass. */
function refusalIn(error: unknown): OrderError | null {
  if (error instanceof OrderError) return error
  if (!(error instanceof BaseError)) return null
  const reverted = error.walk((one) => one instanceof ContractFunctionRevertedError)
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
    return new OrderError('INVALID_SIGNATURE', 'the vault rejects the owner’s signature')
  }
  // These aren't the order's fault: it may be sent again.
  if (name === 'OrderExists') return fundingPending(data?.args?.[0] as Hex)
  if (name === 'DeadlineTooFar' || name === 'RequestLapsed') {
    return new OrderError('RPC_UNREACHABLE', 'the chain’s time is not ours: try again')
  }
  const said = name === 'Error' ? String(data?.args?.[0] ?? '') : name || reason || 'reverted'
  return fundingFailed(said.slice(0, 100), 'the transfer reverts')
}
