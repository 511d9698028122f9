import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { MAX_RECIPIENTS } from '../../enclave/limits.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'

/** Who receives how much, in base units of the destination's token. */
export type Payees = { recipients: readonly Hex[]; amounts: readonly bigint[] }

const ZERO = '0x0000000000000000000000000000000000000000'

/**
 * The rules of a bundle that need no chain: 1 to 200 recipients, as many amounts, each above zero,
 * together no more than the intent expects. The zero address, the token itself and the bridge can't
 * be recipients: payments to them are lost. The enclave checks the same before it signs.
 *
 * @param destinationBridge the bridge on the destination chain; null when it isn't configured here
 * @throws BundleError
 */
export function checkBundle(
  { recipients, amounts }: Payees,
  terms: Pick<IntentTerms, 'tokenB' | 'expectedAmountB'>,
  destinationBridge: Hex | null,
): void {
  if (recipients.length === 0) throw invalid('a bundle needs at least one recipient', 'recipients')
  if (recipients.length > MAX_RECIPIENTS) {
    throw invalid(`a bundle has at most ${MAX_RECIPIENTS} recipients`, 'recipients')
  }
  if (amounts.length !== recipients.length) {
    throw invalid('recipients and amounts differ in length', 'amounts')
  }
  const nobody = new Map([
    [ZERO, 'is the zero address'],
    [terms.tokenB.toLowerCase(), 'is the token that is paid'],
    [destinationBridge?.toLowerCase(), 'is the bridge'],
  ])
  for (const [position, recipient] of recipients.entries()) {
    const why = nobody.get(recipient.toLowerCase())
    if (why) throw new BundleError('RECIPIENT_INVALID', why, `recipients.${position}`)
  }
  const nothing = amounts.findIndex((amount) => amount <= 0n)
  if (nothing !== -1) throw invalid('every amount must be above zero', `amounts.${nothing}`)
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  if (sum > terms.expectedAmountB) {
    throw invalid('the amounts add up to more than the intent’s expectedAmountB', 'amounts')
  }
}

function invalid(reason: string, field: string): BundleError {
  return new BundleError('BUNDLE_INVALID', reason, field)
}
