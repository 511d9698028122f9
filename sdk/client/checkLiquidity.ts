import { CairnError } from '../errors/cairnError.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { IntentRequest } from './intentRequest.ts'
import type { IntentChains } from './validateIntent.ts'

/** Settled intents of the same pair that are looked at, the latest first. */
const RECENT = 20
/** Hundredths of a percent by which somebody may still deliver more than anybody did. */
const MARGIN = 200n
const WHOLE = 10_000n

/**
 * Whether anybody is there to take the intent, and whether what it asks for was ever delivered lately.
 * The source of the second is what recent intents of the pair were settled at, per unit of amountIn; where
 * there were none it says nothing.
 *
 * @throws CairnError `NO_SOLVER_AVAILABLE`, `MIN_OUTPUT_UNATTAINABLE`
 */
export async function checkLiquidity(
  relayer: Pick<RelayerClient, 'routes' | 'intents'>,
  { sourceChain, destChain, tokenIn, tokenOut, amountIn, minAmountOut }: IntentRequest,
  { source, destination }: IntentChains,
): Promise<void> {
  const { routes } = await relayer.routes({
    sourceChain,
    destChain,
    tokenA: tokenIn,
    tokenB: tokenOut,
  })
  if (routes.length === 0) {
    const words =
      'no solver serves this pair at the moment: GET /get-routes lists those that are served'
    throw new CairnError('NO_SOLVER_AVAILABLE', words)
  }
  const { intents } = await relayer.intents({
    ...{ status: 'completed', sourceChainId: source.chainId, destChainId: destination.chainId },
    ...{ tokenA: tokenIn, tokenB: tokenOut, limit: RECENT },
  })
  const attainable = intents.reduce((best, { amountA, winningAmountB }) => {
    const here = ((winningAmountB ?? 0n) * amountIn) / amountA
    return here > best ? here : best
  }, 0n)
  if (attainable === 0n || minAmountOut * WHOLE <= attainable * (WHOLE + MARGIN)) return
  const words = `solvers delivered ${attainable} at most for so much lately, and minAmountOut is ${minAmountOut}: ask for less`
  throw new CairnError('MIN_OUTPUT_UNATTAINABLE', words, {
    details: {
      attainable,
      minAmountOut,
      source: `the last ${intents.length} settled intents of the pair`,
    },
  })
}
