import type { Hex } from '../../src/event/bridgeEvent.ts'

/** A scheduled order as its owner submits it. Amounts in base units, times in unix seconds. */
export type Submission = {
  /** The owner, who pays and gets failed tranches back. */
  user: Hex
  assetIn: Hex
  assetOut: Hex
  /** Names of the chains, such as `base_sepolia`. */
  chainIn: string
  chainOut: string
  sourceChainId: number
  destChainId: number
  totalAmountIn: bigint
  /** The solver's reward is 5 % of it. */
  amountPerPeriod: bigint
  /** Seconds, 5 or more. */
  period: number
  startTime: number
  endTime: number
  /** Each tranche's recipients, known only to the service's enclave before the delivery. */
  recipients: readonly Hex[]
  /** Minimum of each tranche for each recipient, in base units of assetOut. */
  amounts: readonly bigint[]
}

export type SubmissionField = keyof Submission

/** Each field's rule, in words. */
const FIELD_RULES: Record<SubmissionField, string> = {
  user: 'the owner’s address, not zero',
  assetIn: 'the address of a token that the source chain’s bridge lists',
  assetOut: 'the address of a token that the destination chain’s bridge lists',
  chainIn: 'the name of the chain sourceChainId',
  chainOut: 'the name of the chain destChainId',
  sourceChainId: 'the id of a chain that is served here',
  destChainId: 'the id of another chain that is served here',
  totalAmountIn: 'a decimal string of base units, at least amountPerPeriod, below 2^96',
  amountPerPeriod: 'a decimal string of base units above 0, within the bridge’s limits',
  period: 'whole seconds, 5 or more',
  startTime: 'unix seconds',
  endTime: 'unix seconds, after startTime and after now',
  recipients: '1 to 200 addresses: not zero, not assetOut, not the destination’s bridge',
  amounts: 'a decimal string of base units above 0 for each recipient, together below 2^96',
}

/** The rule of the field of a position such as `recipients.2`. */
export function describeField(place: string): string {
  const field = place.split('.')[0] as SubmissionField
  return FIELD_RULES[field] ?? 'the order’s parameters as a JSON object in UTF-8'
}
