import type { RelayerIntent } from '../../../sdk/relayer/relayerResponses.ts'
import { readSourceIntents } from '../chain/readSourceIntents.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import { sameAddress } from '../plan/sameAddress.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { SolverError } from '../solverError.ts'

/**
 * Requires the relayer, or nodes of two operators, to confirm an intent's terms before we commit or pay. A single node
 * could make us bid far above the escrow's value, deliver the wrong token, or deliver too late to be paid; a silent or
 * lying relayer could keep us from depositing or delivering, which costs the bond.
 *
 * @throws RelayerError, or SolverError `TERMS_DISPUTED`
 */
export async function crossCheckIntentTerms(
  { chains, market, relayer }: Pick<SolverContext, 'chains' | 'market' | 'relayer'>,
  intent: IntentSnapshot,
): Promise<void> {
  const { sourceChainId, intentId } = intent
  const listed = market.auctions().find((auction) => auction.intentId === intentId)
  if (listed && disputedTerm(listed, intent) === null) return
  if (await isConfirmedByNodes(chainOf({ chains }, sourceChainId), intent)) return
  const term = disputedTerm(await relayer.intentDetails(intentId), intent)
  if (term === null) return
  const words = `this solver’s node and the relayer disagree about the intent’s ${term}: check with another node`
  throw new SolverError('TERMS_DISPUTED', words)
}

/** Whether nodes of at least two operators, and most of those that answer, report the same terms. */
async function isConfirmedByNodes(chain: SolverChain, intent: IntentSnapshot): Promise<boolean> {
  if (new Set(chain.nodes.map(({ operator }) => operator)).size < 2) return false
  const reports = await chain
    .queryAll(async ({ operator, client }) => {
      const head = await client.getBlockNumber()
      const [reported] = await readSourceIntents({ ...chain, client }, [intent.intentId], head)
      return { operator, isSame: reported !== undefined && hasSameTerms(reported, intent) }
    })
    .catch(() => [])
  const same = reports.filter(({ isSame }) => isSame)
  const operators = new Set(same.map(({ operator }) => operator))
  return operators.size >= 2 && 2 * same.length > reports.length
}

/** `paramsHash` is computed from the terms that a node reports. */
function hasSameTerms(a: IntentSnapshot, b: IntentSnapshot): boolean {
  return a.paramsHash === b.paramsHash && a.feeBps === b.feeBps && a.fillDeadline === b.fillDeadline
}

const NUMBERS = ['sourceChainId', 'intentId', 'destChainId'] as const
const AMOUNTS = ['amountA', 'expectedAmountB', 'reward'] as const
const TOKENS = ['tokenA', 'tokenB'] as const

function disputedTerm(claimed: RelayerIntent, onChain: IntentSnapshot): string | null {
  const unequal = [...NUMBERS, ...AMOUNTS].find((term) => claimed[term] !== onChain[term])
  if (unequal) return unequal
  const token = TOKENS.find((term) => !sameAddress(claimed[term], onChain[term]))
  if (token) return token
  if (claimed.feeBps !== onChain.feeBps) return 'feeBps'
  // The deadline is set by the deposit.
  const isDeposited = onChain.phase === 'deposited'
  return isDeposited && claimed.fillDeadline !== onChain.fillDeadline ? 'fillDeadline' : null
}
