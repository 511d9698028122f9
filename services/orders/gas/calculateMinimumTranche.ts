import { countTranches } from '../../../core/order/countTranches.ts'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import { estimateGasPrice } from '../../chain/transactions/estimateGasPrice.ts'
import type { TokenListing } from '../chain/bridgeAllowLists.ts'
import type { ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersServiceTypes.ts'
import { estimateTrancheGas, sizeOf } from './estimateOrderCallGas.ts'

/**
 * The smallest tranche, in base units, that is worth the gas the service pays for it. This needs no price: the bridge's
 * minimum of a token is assumed to be worth `weiPerMinimum` of gas. When a tranche's gas costs more, the minimum
 * grows in proportion.
 */
export async function calculateMinimumTranche(
  chain: Pick<ServedChain, 'weiPerMinimum' | 'vault' | 'dataFees' | 'nodes'>,
  { min, quorum }: TokenListing,
  order: Submitted & Pick<OrderTerms, 'totalAmount' | 'amountPerPeriod'>,
): Promise<bigint> {
  const { encrypted, totalAmount, amountPerPeriod } = order
  const bytes = sizeOf(order)
  const tranches = countTranches(totalAmount, amountPerPeriod)
  const [gasPrice, dataFee] = await Promise.all([
    estimateGasPrice(chain),
    // Neither a tranche nor the funding has more data.
    chain.dataFees.of({ to: chain.vault, data: encrypted }),
  ])
  const fundingShare = (dataFee + BigInt(tranches) - 1n) / BigInt(tranches)
  const cost = estimateTrancheGas({ bytes, tranches, quorum }) * gasPrice + dataFee + fundingShare
  const { weiPerMinimum } = chain
  if (cost <= weiPerMinimum) return min
  return (min * cost + weiPerMinimum - 1n) / weiPerMinimum
}
