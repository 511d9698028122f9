import { paymentProblem } from '../../../core/bundle/recipientRules.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { MAX_RECIPIENTS } from '../../enclave/limits.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'

/** Who receives how much, in base units of the destination's token. */
export type Payees = { recipients: readonly Hex[]; amounts: readonly bigint[] }

/**
 * The rules of a bundle that need no chain, which the enclave checks again before it signs: see `paymentProblem`.
 *
 * @param destinationBridge the bridge on the destination chain; null when it isn't configured here
 * @throws BundleError
 */
export function checkBundle(
  { recipients, amounts }: Payees,
  { tokenB, expectedAmountB }: Pick<IntentTerms, 'tokenB' | 'expectedAmountB'>,
  destinationBridge: Hex | null,
): void {
  const terms = { tokenB, expectedAmountB, destinationBridge: destinationBridge ?? tokenB }
  const field = paymentProblem({ recipients, amounts }, terms)
  if (field === null) return
  if (field.startsWith('recipients.')) {
    const nobody = new Map([
      [tokenB.toLowerCase(), 'is the token that is paid'],
      [destinationBridge?.toLowerCase(), 'is the bridge'],
    ])
    const why =
      nobody.get(recipients[Number(field.split('.')[1])]?.toLowerCase()) ?? 'is the zero address'
    throw new BundleError('RECIPIENT_INVALID', why, field)
  }
  throw new BundleError(
    'BUNDLE_INVALID',
    whyInvalid(field, recipients.length, amounts.length),
    field,
  )
}

function whyInvalid(field: string, recipients: number, amounts: number): string {
  if (recipients === 0) return 'a bundle needs at least one recipient'
  if (field === 'recipients') return `a bundle has at most ${MAX_RECIPIENTS} recipients`
  if (amounts !== recipients) return 'recipients and amounts differ in length'
  if (field !== 'amounts') return 'every amount must be above zero'
  return 'the amounts add up to more than the intent’s expectedAmountB'
}
