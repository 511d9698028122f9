import { type GasAccount, uncoveredGas, withGas } from './gasAccount.ts'

/** A call that the service is to pay for. */
export type WantedGas =
  | { kind: 'fireTranche'; gas: number }
  /** Whoever is funded will be closed at the service's expense too. */
  | { kind: 'fundOrder'; gas: number; close: number }

/** Gas of a day that no fee covers. */
export type GasLimits = {
  /** Of one owner's tranches, and of its tranches and fundings. */
  unpaidGas: bigint
  /** Of all owners on a chain together. Fundings get half of it: they can be sent by their owners. */
  unpaidGasOfAll: bigint
}

/** Why the service doesn't pay: this owner's orders bring nothing, or all that others bring nothing have used it up. */
export type GasRefusal = 'OWNER_BRINGS_NO_FEE' | 'GAS_BUDGET_SPENT'

/**
 * Whether the service pays for a call; null when it does. An owner is bounded by itself, and what no fee covers by
 * what all owners together haven't covered: one capital can be moved through any number of fresh owners. What an
 * owner's record covers depends on no other owner.
 *
 * @param uncoveredOfAll gas of the day that no fee covers, of all owners, this one included
 */
export function decideGas(
  wanted: WantedGas,
  owner: GasAccount,
  uncoveredOfAll: number,
  { unpaidGas, unpaidGasOfAll }: GasLimits,
): GasRefusal | null {
  const { tranches, fundings, record } = owner
  const isFunding = wanted.kind === 'fundOrder'
  const ownersOwn = tranches + (isFunding ? fundings : 0) + wanted.gas - record
  if (BigInt(ownersOwn) > unpaidGas) return 'OWNER_BRINGS_NO_FEE'
  const more = beyondRecord(wanted, owner)
  if (more === 0) return null
  const limit = isFunding ? unpaidGasOfAll / 2n : unpaidGasOfAll
  return BigInt(uncoveredOfAll + more) <= limit ? null : 'GAS_BUDGET_SPENT'
}

/** What a call adds to its owner's account. */
export function gasAddedBy(wanted: WantedGas): Partial<GasAccount> {
  return wanted.kind === 'fundOrder'
    ? { fundings: wanted.gas, closes: wanted.close }
    : { tranches: wanted.gas }
}

/** Gas of a call that its owner's record doesn't cover. */
export function beyondRecord(wanted: WantedGas, owner: GasAccount): number {
  return uncoveredGas(withGas(owner, gasAddedBy(wanted))) - uncoveredGas(owner)
}
