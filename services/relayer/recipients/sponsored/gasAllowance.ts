/** Gas that an intent's fee covers, and what its Safes have used. */
export type Allowance = {
  allowed: bigint
  /** Used by this Safe, and whether it was requested without a signature. */
  own: bigint
  isStrangers: boolean
  usedByStrangers: bigint
  /** Used by each other Safe that the intent's sender named. */
  others: readonly bigint[]
}

/** Whether this much more gas leaves every other Safe its part. */
export function isWithin(
  { allowed, own, isStrangers, usedByStrangers, others }: Allowance,
  gas: bigint,
  gasPerRecipient: bigint,
): boolean {
  const parts = BigInt(others.length + (isStrangers ? 0 : 1))
  const even = parts === 0n ? 0n : allowed / parts
  const part = even < gasPerRecipient ? even : gasPerRecipient
  if (!isStrangers && own + gas <= part) return true
  const kept = others.reduce((sum, used) => sum + (used > part ? used : part), 0n)
  const ownPart = isStrangers ? 0n : own
  if (ownPart + usedByStrangers + gas + kept > allowed) return false
  return !isStrangers || usedByStrangers + gas <= allowed / 2n
}

/** Whether the intent covers each Safe's full part, and this Safe's part covers this much more gas. */
export function isWithinOwnPart(
  { allowed, own, isStrangers, others }: Allowance,
  gas: bigint,
  gasPerRecipient: bigint,
): boolean {
  const paysAll = allowed >= gasPerRecipient * BigInt(others.length + 1)
  return !isStrangers && paysAll && own + gas <= gasPerRecipient
}
