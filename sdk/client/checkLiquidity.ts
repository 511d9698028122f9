import { CairnError } from '../errors/cairnError.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { IntentRequest } from './intentRequest.ts'
import { requestQuote } from './requestQuote.ts'

/** How much more than recent deliveries a solver may still deliver, in basis points. */
const MARGIN = 200n
const WHOLE = 10_000n

/**
 * Checks with the relayer's quote, at the lower fee, that some solver's stake covers a bid, and that the requested output
 * was delivered recently. If nothing completed in the last day, checks the stake only.
 *
 * @throws CairnError `NO_SOLVER_AVAILABLE`, `MIN_OUTPUT_UNATTAINABLE`
 */
export async function checkLiquidity(
  relayer: Pick<RelayerClient, 'quote'>,
  { minAmountOut, ...intent }: IntentRequest,
): Promise<void> {
  const { ableSolvers, liveSolvers, bond, basis, ...quoted } = await requestQuote(relayer, intent)
  if (ableSolvers === 0) {
    const words =
      liveSolvers === 0
        ? 'no solver serves this pair: GET /get-routes lists the served ones'
        : `a bid locks a stake of ${bond}, which none of the pair’s ${liveSolvers} solvers has: send a smaller amount`
    throw new CairnError('NO_SOLVER_AVAILABLE', words, { details: { liveSolvers, bond } })
  }
  const attainable = quoted.bestAmountB
  if (attainable === null) return
  const details = { attainable, usual: quoted.amountB, minAmountOut, basis }
  // The margin must not promise more than the solver is paid, where a token of one is worth about one of the other.
  const income = intent.amountIn + intent.reward - quoted.fee
  const ceiling = (attainable * (WHOLE + MARGIN)) / WHOLE
  if (attainable <= income && income <= ceiling && minAmountOut > income) {
    const words = `minAmountOut is ${minAmountOut}, but the solver gets only ${income} for it (amountIn and reward, less a fee of ${quoted.fee}): ask for at most ${attainable}`
    throw new CairnError('MIN_OUTPUT_UNATTAINABLE', words, { details: { ...details, income } })
  }
  if (minAmountOut <= ceiling) return
  const words = `minAmountOut is ${minAmountOut}, but solvers recently delivered at most ${attainable} for this amount: lower it`
  throw new CairnError('MIN_OUTPUT_UNATTAINABLE', words, { details })
}
