import type { TokenListing } from '../chain/bridgeRules.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Gas of firing one tranche, its share of funding and closing the order included; measured, rounded up. */
export const GAS_OF_TRANCHE = 450_000n

/**
 * What a tranche must put into escrow at least to be worth the gas that the service pays for it, in base
 * units. No price is asked for: the bridge's least amount of a token is what its owner thinks worth an
 * intent, which stands for `weiPerMinimum`; when gas is dearer than that, the least grows in proportion.
 */
export async function gasMinimum(
  { settings: { weiPerMinimum } }: Pick<OrdersContext, 'settings'>,
  { client }: ServedChain,
  { least }: TokenListing,
): Promise<bigint> {
  const cost = GAS_OF_TRANCHE * (await client.getGasPrice())
  if (cost <= weiPerMinimum) return least
  return (least * cost + weiPerMinimum - 1n) / weiPerMinimum
}
