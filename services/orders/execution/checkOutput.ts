import type { Address } from 'viem'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import {
  findOutputProblem,
  readTokenUnit,
  type TokenUnit,
} from '../../../sdk/client/findOutputProblem.ts'
import { readTokenListing } from '../chain/bridgeAllowLists.ts'
import type { DestinationChain } from '../chain/vaultChain.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext } from '../ordersContext.ts'
import { queryVault } from './queryVault.ts'
import { invalid } from './throwEnclaveProblem.ts'

/**
 * Checks for mistakes that would cost the owner: a token that the destination's bridge doesn't list, of which no tranche can be
 * delivered, and less than half of the same asset's input, as with wrong decimals: a solver without rivals would deliver next
 * to nothing. What the destination's nodes don't answer isn't checked.
 *
 * @throws OrderError
 */
export async function checkOutput(
  { destinations }: Pick<OrdersContext, 'destinations'>,
  source: DestinationChain,
  { token, destChainId, tokenB, amountPerPeriod, expectedAmountB }: OrderTerms,
): Promise<void> {
  const destination = destinations.get(Number(destChainId))
  if (destination === undefined) return
  const [isListed, given, requested] = await Promise.all([
    queryVault(
      destination,
      async (client) => (await readTokenListing(client, destination, tokenB)) !== null,
      String,
    ).catch(() => true),
    readUnit(source, token),
    readUnit(destination, tokenB),
  ])
  if (!isListed) throw invalid('assetOut')
  if (given === null || requested === null) return
  const offered = { ...given, base: amountPerPeriod }
  if (findOutputProblem(offered, { ...requested, base: expectedAmountB }) !== 'less') return
  const expected =
    'together at least half of amountPerPeriod, which is in the same asset: check the decimals'
  const details = { field: 'amounts', expected }
  throw new OrderError('VALIDATION_FAILED', `amounts: expected ${expected}`, details)
}

/** Null for a token without a symbol, or whose chain doesn't answer. */
async function readUnit(chain: DestinationChain, token: Address): Promise<TokenUnit | null> {
  return queryVault(
    chain,
    (client) => readTokenUnit(client, token),
    ({ symbol, decimals }) => `${decimals} ${symbol}`,
  ).catch(() => null)
}
