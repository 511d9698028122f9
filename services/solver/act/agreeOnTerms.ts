import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { readSourceIntents } from '../chain/readSourceIntents.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import { sameAddress } from '../plan/commitmentOf.ts'
import type { SeenIntent } from '../plan/snapshot.ts'
import { chainOf, type Solver } from '../solver.ts'

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
 * Requires that an intent's terms are confirmed before we commit or pay by them: by the relayer, or by nodes of two
 * operators. A node alone could make us bid far above the escrow's value, deliver another token, or deliver too late
 * to be paid. A relayer alone, silent or lying, could keep us from depositing or delivering, which costs the bond.
 *
 * @throws RelayerError, or TermsDisputedError
 */
export async function agreeOnTerms(
  { chains, market, relayer }: Pick<Solver, 'chains' | 'market' | 'relayer'>,
  intent: SeenIntent,
): Promise<void> {
  const { sourceChainId, intentId } = intent
  const heard = market
    .auctions()
    .find((one) => one.intentId === intentId && one.sourceChainId === sourceChainId)
  if (heard && disputedTerm(heard, intent) === null) return
  if (await isConfirmedByNodes(chainOf({ chains }, sourceChainId), intent)) return
  const term = disputedTerm(await relayer.intentDetails(intentId), intent)
  if (term !== null) throw new TermsDisputedError(term)
}

/** Whether nodes of at least two operators, and most of those that answer, show the same terms. */
async function isConfirmedByNodes(chain: SolverChain, intent: SeenIntent): Promise<boolean> {
  if (new Set(chain.nodes.map(({ operator }) => operator)).size < 2) return false
  const reports = await chain
    .queryAll(async ({ operator, client }) => {
      const head = await client.getBlockNumber()
      const [seen] = await readSourceIntents({ ...chain, client }, [intent.intentId], head)
      return { operator, isSame: seen !== undefined && hasSameTerms(seen, intent) }
    })
    .catch(() => [])
  const same = reports.filter(({ isSame }) => isSame)
  const operators = new Set(same.map(({ operator }) => operator))
  return operators.size >= 2 && 2 * same.length > reports.length
}

/** The hash is computed from the terms that a node shows. */
function hasSameTerms(seen: SeenIntent, { paramsHash, feeBps, fillDeadline }: SeenIntent): boolean {
  return (
    seen.paramsHash === paramsHash && seen.feeBps === feeBps && seen.fillDeadline === fillDeadline
  )
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
