import { size } from 'viem'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import { totalTranches } from '../../../core/order/totalTranches.ts'
import { estimateGasPrice } from '../../chain/transactions/estimateGasPrice.ts'
import type { TokenListing } from '../chain/bridgeRules.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersService.ts'

/** The parts of an order that decide its gas. */
type OrderSize = {
  /** Bytes that its owner submitted: they go into the funding, and their recipients into each tranche. */
  bytes: number
  tranches: number
  /** Signatures of each call. */
  quorum: number
}

/** Gas of each signature after the first. */
const GAS_OF_SIGNATURE = 14_000

/** Gas of each call about an order, as measured of 1 to 200 recipients and rounded up. */
export function gasOfCalls({ bytes, quorum }: Omit<OrderSize, 'tranches'>) {
  const signatures = (quorum - 1) * GAS_OF_SIGNATURE
  return {
    fund: 224_000 + 27 * bytes + signatures,
    fire: 226_000 + 12 * bytes + signatures,
    close: 70_000 + signatures,
  }
}

/**
 * Gas that an order takes for each of its tranches: firing it, and its share of funding and closing the order.
 * A test compares it with receipts.
 */
export function gasOfTranche({ tranches, ...order }: OrderSize): bigint {
  const { fund, fire, close } = gasOfCalls(order)
  return BigInt(fire + Math.ceil((fund + close) / tranches))
}

/** Bytes that an owner submitted. */
export function sizeOf({ encrypted, message, signature }: Submitted): number {
  return size(encrypted) + Buffer.byteLength(message) + size(signature)
}

/**
 * What a tranche must put into escrow at least to be worth the gas that the service pays for it, in base
 * units. It needs no price: the bridge's minimum of a token is what its owner thinks worth an intent,
 * and counts as `weiPerMinimum`; when gas costs more than that, the minimum grows in proportion.
 */
export async function gasMinimum(
  { settings: { weiPerMinimum } }: Pick<OrdersContext, 'settings'>,
  chain: Pick<ServedChain, 'vault' | 'dataFees' | 'nodes'>,
  { least, quorum }: TokenListing,
  order: Submitted & Pick<OrderTerms, 'totalAmount' | 'amountPerPeriod'>,
): Promise<bigint> {
  const { encrypted, totalAmount, amountPerPeriod } = order
  const bytes = sizeOf(order)
  const tranches = totalTranches(totalAmount, amountPerPeriod)
  const [gasPrice, dataFee] = await Promise.all([
    estimateGasPrice(chain),
    // Neither a tranche nor the funding has more data than that.
    chain.dataFees.of({ to: chain.vault, data: encrypted }),
  ])
  const shared = (dataFee + BigInt(tranches) - 1n) / BigInt(tranches)
  const cost = gasOfTranche({ bytes, tranches, quorum }) * gasPrice + dataFee + shared
  if (cost <= weiPerMinimum) return least
  return (least * cost + weiPerMinimum - 1n) / weiPerMinimum
}
