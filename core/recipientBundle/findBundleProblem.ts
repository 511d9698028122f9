import type { Hex } from '../../src/event/bridgeEvent.ts'
import { MAX_RECIPIENTS } from '../recoveryBlob/blobSize.ts'

/** The facts of an intent that limit whom it can pay. */
export type PaymentTerms = {
  /** Base units of tokenB. */
  expectedAmountB: bigint
  tokenB: Hex
  /** The bridge of the destination chain. */
  destinationBridge: Hex
}

/** A bundle's recipients and their amounts in base units of tokenB. */
type Payments = { recipients: readonly Hex[]; amounts: readonly bigint[] }

const ZERO = `0x${'0'.repeat(40)}`

/**
 * The position in a bundle that prevents its delivery; null if none does. A bundle needs 1 to 200 recipients, none of
 * them zero, tokenB or the bridge, and as many amounts, each above zero and together no more than the intent asks for.
 */
export function findBundleProblem(
  { recipients, amounts }: Payments,
  { expectedAmountB, tokenB, destinationBridge }: PaymentTerms,
): string | null {
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS) return 'recipients'
  if (recipients.length !== amounts.length) return 'amounts'
  const unpayable = new Set([ZERO, tokenB.toLowerCase(), destinationBridge.toLowerCase()])
  const nobody = recipients.findIndex((recipient) => unpayable.has(recipient.toLowerCase()))
  if (nobody >= 0) return `recipients.${nobody}`
  const nothing = amounts.findIndex((amount) => amount <= 0n)
  if (nothing >= 0) return `amounts.${nothing}`
  return amounts.reduce((sum, amount) => sum + amount, 0n) > expectedAmountB ? 'amounts' : null
}
