import { type GasAccount, uncoveredGas, withGas } from './ownerGasAccounts.ts'

/** A call whose gas the service would pay. */
export type GasRequest =
  | { kind: 'fireTranche'; gas: number }
  /** Funding commits the service to the gas of closing the order too. */
  | { kind: 'fundOrder'; gas: number; close: number }

/** Limits on a day's gas that no fee covers. */
export type GasLimits = {
  /** Per owner: its tranches, and for a funding its tranches and fundings together. */
  unpaidGas: bigint
  /** Over all owners on a chain. Fundings may use half of it, since owners can send them themselves. */
  unpaidGasOfAll: bigint
}

/** Why the service doesn't pay: the owner's limit or the shared limit is reached. */
export type GasRefusal = 'OWNER_BRINGS_NO_FEE' | 'GAS_BUDGET_SPENT'

/**
 * Why the service won't pay for a call; null when it will. Uncovered gas is limited per owner and over all owners,
 * since the same funds can pass through any number of fresh owners. Gas that an owner's record covers never depends
 * on others.
 *
 * @param uncoveredOfAll the day's uncovered gas over all owners, this one included
 */
export function decideGasPayment(
  gasRequest: GasRequest,
  owner: GasAccount,
  uncoveredOfAll: number,
  { unpaidGas, unpaidGasOfAll }: GasLimits,
): GasRefusal | null {
  const { tranches, fundings, record } = owner
  const isFunding = gasRequest.kind === 'fundOrder'
  const uncoveredOfOwner = tranches + (isFunding ? fundings : 0) + gasRequest.gas - record
  if (BigInt(uncoveredOfOwner) > unpaidGas) return 'OWNER_BRINGS_NO_FEE'
  const added = uncoveredGasOf(gasRequest, owner)
  if (added === 0) return null
  const limit = isFunding ? unpaidGasOfAll / 2n : unpaidGasOfAll
  return BigInt(uncoveredOfAll + added) <= limit ? null : 'GAS_BUDGET_SPENT'
}

/** What a call adds to its owner's account. */
export function gasAddedBy(gasRequest: GasRequest): Partial<GasAccount> {
  return gasRequest.kind === 'fundOrder'
    ? { fundings: gasRequest.gas, closes: gasRequest.close }
    : { tranches: gasRequest.gas }
}

/** The part of a call's gas that its owner's record doesn't cover. */
export function uncoveredGasOf(gasRequest: GasRequest, owner: GasAccount): number {
  return uncoveredGas(withGas(owner, gasAddedBy(gasRequest))) - uncoveredGas(owner)
}
