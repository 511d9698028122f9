import type { Address } from 'viem'
import { drawRandomRecipients } from '../../../devnet/traffic/drawRandomRecipients.ts'
import type { Ledger } from './ledger.ts'
import { buildTerms, type PlannedIntent } from './plannedIntent.ts'
import type { Outcome } from './readOutcome.ts'

/** The parties; the bridge has the same address on both chains. */
export type Cast = { sender: Address; rogue: Address; bridge: Address }

/** A sent intent. If it ended differently than planned, `planned` says how. */
export type Played = {
  planned: PlannedIntent
  id: bigint
  sourceChainId: number
  destChainId: number
  /** For an order's tranche, which belongs to the order's owner, follows its terms, and may end in any way. */
  tranche?: { owner: Address; terms: ReturnType<typeof buildTerms> }
}

/** Receives forfeits; nobody has its key. */
const NOBODY: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * The token movements an intent causes by its end, derived from the protocol's rules and not from the code under test. A
 * stake counts as its owner's, as in `addBalances`.
 */
export function predictBalances(
  ledger: Ledger,
  played: Played,
  { won, forfeiters }: Outcome,
  cast: Cast,
  seed: number,
): void {
  const { planned, id, sourceChainId, destChainId, tranche } = played
  const { tokenA, tokenB } = planned
  const { amountA, reward, bundle, bond, fee } = tranche?.terms ?? buildTerms(planned, seed, id)
  const onSource = (account: Address, amount: bigint) =>
    ledger.add(account, sourceChainId, tokenA, amount)
  const onDestination = (account: Address, amount: bigint) =>
    ledger.add(account, destChainId, tokenB, amount)
  for (const forfeiter of forfeiters) {
    onSource(forfeiter, -bond)
    onSource(NOBODY, bond)
  }
  if (planned.ends === 'completed' && won) {
    onSource(tranche?.owner ?? cast.sender, -(amountA + reward))
    onSource(won.by, amountA - fee + reward)
    onSource(cast.bridge, fee)
    onDestination(won.by, -won.amountB)
    for (const [recipient, amount] of shared(bundle, won.amountB)) onDestination(recipient, amount)
  }
  if (planned.ends === 'failed' && won) {
    const delivered = deliveredByRogue(planned, won.amountB)
    onDestination(cast.rogue, -delivered)
    const [whoever] = drawRandomRecipients(seed, id, 1, won.amountB).recipients
    if (whoever) onDestination(whoever, delivered)
  }
}

function deliveredByRogue({ kind }: PlannedIntent, amountB: bigint): bigint {
  if (kind === 'lateDelivery') return amountB
  return kind === 'shortDelivery' ? (amountB * 9n) / 10n : 0n
}

/** Shares the surplus proportionally; the first recipient gets the rounding remainder. */
function shared(
  { recipients, amounts }: { recipients: Address[]; amounts: bigint[] },
  total: bigint,
): [Address, bigint][] {
  const named = amounts.reduce((sum, amount) => sum + amount, 0n)
  const parts = amounts.map((amount) => amount + ((total - named) * amount) / named)
  const given = parts.reduce((sum, part) => sum + part, 0n)
  return recipients.map((recipient, at) => [
    recipient,
    (parts[at] ?? 0n) + (at === 0 ? total - given : 0n),
  ])
}
