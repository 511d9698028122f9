import type { Policy, PricedToken } from '../policy/policy.ts'
import { isAllowed, type Spend } from './planApprovals.ts'
import type { Budget } from './roundBudget.ts'
import type { UpkeepAction } from './solverActionTypes.ts'
import { type ChainSnapshot, isTokenPending, type Snapshot } from './solverSnapshot.ts'

/** Upkeep actions, and the spends that need approvals. */
type Upkeep = { actions: UpkeepAction[]; spends: Spend[] }

/**
 * Sets sealing keys, approves the tokens that we hold, adjusts stakes to the policy with unreserved tokens, and claims
 * credits. Withdraws excess stake as soon as it is unlocked.
 *
 * @param budget after all reservations for intents
 * @param acceptsNew false: only claims credits and withdraws stakes
 */
export function planUpkeep(
  snapshot: Snapshot,
  policy: Policy,
  budget: Budget,
  acceptsNew: boolean,
): Upkeep {
  const upkeep: Upkeep = { actions: [], spends: [] }
  for (const chain of snapshot.chains.values()) {
    upkeep.actions.push(...claimsOn(chain, snapshot))
    if (!snapshot.isWhole || !policy.chains.has(chain.chainId)) continue
    const staked = [...policy.tokens.values()].filter(
      (token) => token.chainId === chain.chainId && token.stake !== null,
    )
    if (chain.native < policy.gasReserve) continue
    const isUnsealed = chain.sealingKey === 'none' && staked.length > 0
    if (acceptsNew && isUnsealed && !isSealing(snapshot, chain.chainId))
      upkeep.actions.push({ do: 'seal', chainId: chain.chainId })
    if (chain.sealingKey !== 'ours') continue
    for (const token of staked) stakeOne(token, chain, snapshot, budget, acceptsNew, upkeep)
    if (acceptsNew) upkeep.spends.push(...findUnapproved(chain, policy))
  }
  return upkeep
}

/** The traded tokens that we hold: a bid waits until its token is approved, which a short auction leaves no time for. */
function findUnapproved({ chainId, allowances, balances }: ChainSnapshot, policy: Policy): Spend[] {
  return [...policy.tokens.values()]
    .filter((token) => token.chainId === chainId)
    .map(({ address }) => ({ chainId, token: address.toLowerCase(), amount: 1n }))
    .filter(({ token }) => allowances.get(token) === 0n && (balances.get(token) ?? 0n) > 0n)
}

function stakeOne(
  { chainId, address, stake }: PricedToken,
  { stakes }: ChainSnapshot,
  snapshot: Snapshot,
  budget: Budget,
  acceptsNew: boolean,
  { actions, spends }: Upkeep,
): void {
  const token = address.toLowerCase()
  const staked = stakes.get(token)
  if (stake === null || !staked || isTokenPending(snapshot, ['stake', 'unstake'], chainId, token))
    return
  const missing = stake - staked.total
  if (missing > 0n) {
    if (!acceptsNew || budget.freeBalance(chainId, token) < missing) return
    const spend = { chainId, token, amount: missing }
    spends.push(spend)
    if (isAllowed(spend, snapshot)) actions.push({ do: 'stake', ...spend })
    return
  }
  const free = budget.freeStake(chainId, token)
  const amount = -missing < free ? -missing : free
  if (amount > 0n) actions.push({ do: 'unstake', chainId, token, amount })
}

function claimsOn({ chainId, credits }: ChainSnapshot, snapshot: Snapshot): UpkeepAction[] {
  return [...credits]
    .filter(([token, amount]) => {
      return amount > 0n && !isTokenPending(snapshot, ['claim'], chainId, token)
    })
    .map(([token]) => ({ do: 'claim', chainId, token }))
}

function isSealing({ pending }: Snapshot, chainId: number): boolean {
  return pending.some(
    (transaction) => transaction.kind === 'seal' && transaction.chainId === chainId,
  )
}
