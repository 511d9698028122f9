import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { sameAddress } from '../plan/commitmentOf.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import type { Solver } from '../solver.ts'

/** Our node and the relayer give different terms of an intent: one of them lies, or is behind. */
class TermsDisputedError extends Error {
  override readonly name = 'TermsDisputedError'
  readonly code = 'TERMS_DISPUTED'

  constructor(term: string) {
    super(
      `this solver’s node and the relayer disagree about its ${term}: compare with another node`,
    )
  }
}

/**
 * Requires that the relayer has the same terms of an intent as our node, before we commit or pay by them. A
 * node alone could make us bid far above the escrow's value, deliver another token, or deliver too late to be
 * paid.
 *
 * @throws RelayerError, or TermsDisputedError
 */
export async function agreeOnTerms(
  { market, relayer }: Pick<Solver, 'market' | 'relayer'>,
  intent: SeenIntent,
): Promise<void> {
  const { sourceChainId, intentId } = intent
  const heard = market
    .auctions()
    .find((one) => one.intentId === intentId && one.sourceChainId === sourceChainId)
  if (heard && disputedTerm(heard, intent) === null) return
  const term = disputedTerm(await relayer.intentDetails(intentId), intent)
  if (term !== null) throw new TermsDisputedError(term)
}

const NUMBERS = ['sourceChainId', 'intentId', 'destChainId'] as const
const AMOUNTS = ['amountA', 'expectedAmountB', 'reward'] as const
const TOKENS = ['tokenA', 'tokenB'] as const

function disputedTerm(claimed: RelayerIntent, seen: SeenIntent): string | null {
  const unequal = [...NUMBERS, ...AMOUNTS].find((term) => claimed[term] !== seen[term])
  if (unequal) return unequal
  const token = TOKENS.find((term) => !sameAddress(claimed[term], seen[term]))
  if (token) return token
  if ((claimed.feeBps ?? 0) !== seen.feeBps) return 'feeBps'
  // Before the deposit there is none, and nothing depends on it.
  const isDue = seen.phase === 'deposited'
  return isDue && claimed.fillDeadline !== seen.fillDeadline ? 'fillDeadline' : null
}
