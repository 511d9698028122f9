import type { Policy, PricedToken } from '../policy/policy.ts'
import type { UpkeepAction } from './action.ts'
import { isAllowed, type Taking } from './approvalsFor.ts'
import type { Budget } from './budget.ts'
import { isTokenUnderWay, type SeenChain, type Snapshot } from './snapshot.ts'

/** Actions that keep us able to bid, and the approvals they need. */
type Upkeep = { actions: UpkeepAction[]; takings: Taking[] }

/**
 * Adjusts sealing keys and stakes to the policy, unless the tokens are needed otherwise, and claims our
 * credits. Excess stake is withdrawn as soon as no lock holds it.
 *
 * @param budget with everything bound that intents need
 * @param takesNew false: only credits are claimed
 */
export function upkeepFor(
  snapshot: Snapshot,
  policy: Policy,
  budget: Budget,
  takesNew: boolean,
): Upkeep {
  const upkeep: Upkeep = { actions: [], takings: [] }
  for (const chain of snapshot.chains.values()) {
    upkeep.actions.push(...claimsOn(chain, snapshot))
    if (!takesNew || !snapshot.isWhole || !policy.chains.has(chain.chainId)) continue
    const staked = [...policy.tokens.values()].filter(
      (token) => token.chainId === chain.chainId && token.stake !== null,
    )
    if (chain.native < policy.gasReserve) continue
    if (chain.sealingKey === 'none' && staked.length > 0) {
      if (!isSealing(snapshot, chain.chainId))
        upkeep.actions.push({ do: 'seal', chainId: chain.chainId })
      continue
    }
    if (chain.sealingKey !== 'ours') continue
    for (const token of staked) stakeOne(token, chain, snapshot, budget, upkeep)
  }
  return upkeep
}

function stakeOne(
  { chainId, address, stake }: PricedToken,
  { stakes }: SeenChain,
  snapshot: Snapshot,
  budget: Budget,
  { actions, takings }: Upkeep,
): void {
  const token = address.toLowerCase()
  const held = stakes.get(token)
  if (stake === null || !held || isTokenUnderWay(snapshot, ['stake', 'unstake'], chainId, token))
    return
  const missing = stake - held.total
  if (missing > 0n) {
    if (budget.freeBalance(chainId, token) < missing) return
    const taking = { chainId, token, amount: missing }
    takings.push(taking)
    if (isAllowed(taking, snapshot)) actions.push({ do: 'stake', ...taking })
    return
  }
  const free = budget.freeStake(chainId, token)
  const amount = -missing < free ? -missing : free
  if (amount > 0n) actions.push({ do: 'unstake', chainId, token, amount })
}

function claimsOn({ chainId, credits }: SeenChain, snapshot: Snapshot): UpkeepAction[] {
  return [...credits]
    .filter(([token, amount]) => {
      return amount > 0n && !isTokenUnderWay(snapshot, ['claim'], chainId, token)
    })
    .map(([token]) => ({ do: 'claim', chainId, token }))
}

function isSealing({ underWay }: Snapshot, chainId: number): boolean {
  return underWay.some((one) => one.kind === 'seal' && one.chainId === chainId)
}
