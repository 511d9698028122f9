import { MAX_RECIPIENTS } from '../../core/recoveryBlob/blobSize.ts'
import type { IntentRequest } from '../client/intentRequest.ts'
import type { BatchRequest } from './batchRequest.ts'

/** One intent of a batch; its deadline is set when it is created. */
export type BatchPart = Omit<IntentRequest, 'deadline'>

/**
 * Splits a batch into intents of at most 200 recipients, in order and as evenly as possible, so that no intent falls below
 * a minimum because one recipient was left over. Each gets `amountIn`, `minAmountOut` and `reward` in proportion to its
 * recipients' amounts; the parts add up to the whole.
 *
 * @param most maximum recipients per intent
 */
export function splitBatch(
  { auctionSeconds: _, ...request }: BatchRequest,
  most: number = MAX_RECIPIENTS,
): BatchPart[] {
  const { recipients, amountIn, minAmountOut, reward } = request
  const whole = sumAmounts(recipients)
  const count = Math.ceil(recipients.length / most)
  if (whole <= 0n) return [request]
  return Array.from({ length: count }, (_part, number) => {
    const [from, to] = [findStart(number), findStart(number + 1)]
    const [before, after] = [
      sumAmounts(recipients.slice(0, from)),
      sumAmounts(recipients.slice(0, to)),
    ]
    const shareOf = (amount: bigint) => (amount * after) / whole - (amount * before) / whole
    return {
      ...request,
      recipients: recipients.slice(from, to),
      amountIn: shareOf(amountIn),
      minAmountOut: shareOf(minAmountOut),
      reward: shareOf(reward),
    }
  })

  function findStart(number: number): number {
    return Math.floor((number * recipients.length) / count)
  }
}

function sumAmounts(recipients: readonly { amount: bigint }[]): bigint {
  return recipients.reduce((sum, { amount }) => sum + amount, 0n)
}
