import { BaseError, ContractFunctionRevertedError } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import { OrderError } from '../orderError.ts'

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

/** A chain node's error: a revert is a refusal, anything else may pass. */
export async function onVault<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof OrderError) throw error
    const reverted =
      error instanceof BaseError
        ? error.walk((one) => one instanceof ContractFunctionRevertedError)
        : null
    if (reverted instanceof ContractFunctionRevertedError) throw refusalOfRevert(reverted)
    throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
  }
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
