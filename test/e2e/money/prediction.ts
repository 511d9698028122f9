import type { Address } from 'viem'
import { recipientsOf } from '../../../services/devnet/traffic/recipientsOf.ts'
import type { Ledger } from './ledger.ts'
import { type Story, termsOf } from './story.ts'

/** Who plays which part; the bridge has the same address on both chains. */
export type Cast = {
  sender: Address
  /** Who serves it when it is completed. */
  solver: Address
  rogue: Address
  bridge: Address
  /** Who put down the bond when it failed; default: the rogue. */
  loser?: Address
}

/** An intent that was sent. Where its end isn't the story's, the story is to say the one that came. */
export type Played = { story: Story; id: bigint; sourceChainId: number; destChainId: number }

/**
 * What an intent changes, in tokens, once it is over: written down from the protocol's rules, and not
 * by the code that is under test.
 */
export function predict(ledger: Ledger, played: Played, cast: Cast, seed: number): void {
  const { story, id, sourceChainId, destChainId } = played
  const { tokenA, tokenB } = story
  const { amountA, expectedAmountB, reward, bundle, bond, fee } = termsOf(story, seed, id)
  const onSource = (account: Address, amount: bigint) =>
    ledger.add(account, sourceChainId, tokenA, amount)
  const onDestination = (account: Address, amount: bigint) =>
    ledger.add(account, destChainId, tokenB, amount)
  switch (story.ends) {
    case 'completed': {
      onSource(cast.sender, -(amountA + reward))
      onSource(cast.solver, amountA - fee + reward)
      onSource(cast.bridge, fee)
      onDestination(cast.solver, -expectedAmountB)
      for (const [recipient, amount] of shared(bundle, expectedAmountB))
        onDestination(recipient, amount)
      return
    }
    case 'failed': {
      onSource(cast.sender, bond)
      onSource(cast.loser ?? cast.rogue, -bond)
      const delivered = deliveredByRogue(story, expectedAmountB)
      onDestination(cast.rogue, -delivered)
      const [whoever] = recipientsOf(seed, id, 1, expectedAmountB).recipients
      if (whoever) onDestination(whoever, delivered)
      return
    }
    default:
      // Cancelled or expired: all as before.
      return
  }
}

function deliveredByRogue({ kind }: Story, amountB: bigint): bigint {
  if (kind === 'lateDelivery') return amountB
  return kind === 'shortDelivery' ? (amountB * 9n) / 10n : 0n
}

/** Surplus by proportion, the first gets what rounding leaves. */
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
