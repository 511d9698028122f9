import { size } from 'viem'
import { countTranches } from '../../../core/order/countTranches.ts'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import { estimateGasPrice } from '../../chain/transactions/estimateGasPrice.ts'
import type { TokenListing } from '../chain/bridgeAllowLists.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersServiceTypes.ts'

/** The parts of an order that decide its gas. */
type OrderSize = {
  /** Bytes that its owner submitted. All go into the funding, the recipients into each tranche. */
  bytes: number
  tranches: number
  /** Signatures of each call. */
  quorum: number
}

/** Gas of each signature after the first. */
const GAS_OF_SIGNATURE = 14_000

/** Gas of each call about an order, measured with 1 to 200 recipients and rounded up. */
export function estimateOrderCallGas({ bytes, quorum }: Omit<OrderSize, 'tranches'>) {
  const signatures = (quorum - 1) * GAS_OF_SIGNATURE
  return {
    fund: 224_000 + 27 * bytes + signatures,
    fire: 226_000 + 12 * bytes + signatures,
    close: 70_000 + signatures,
  }
}

/**
 * An order's gas per tranche: firing it, and its share of funding and closing the order. A test compares it with
 * receipts.
 */
export function estimateTrancheGas({ tranches, ...order }: OrderSize): bigint {
  const { fund, fire, close } = estimateOrderCallGas(order)
  return BigInt(fire + Math.ceil((fund + close) / tranches))
}

/** Bytes that an owner submitted. */
export function sizeOf({ encrypted, message, signature }: Submitted): number {
  return size(encrypted) + Buffer.byteLength(message) + size(signature)
}

/**
 * The smallest tranche, in base units, that is worth the gas the service pays for it. This needs no price: the bridge's
 * minimum of a token is assumed to be worth `weiPerMinimum` of gas. When a tranche's gas costs more, the minimum
 * grows in proportion.
 */
export async function calculateMinimumTranche(
  { settings: { weiPerMinimum } }: Pick<OrdersContext, 'settings'>,
  chain: Pick<ServedChain, 'vault' | 'dataFees' | 'nodes'>,
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
  if (cost <= weiPerMinimum) return min
  return (min * cost + weiPerMinimum - 1n) / weiPerMinimum
}
