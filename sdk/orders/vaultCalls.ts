import { encodeFunctionData, type Hex, type PublicClient } from 'viem'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'

/**
 * Calldata by which an owner ends its order without any service, at any time: the vault pays what is left to the
 * owner. A day after the order's end anybody can send it.
 *
 * @param vaultOrderId of `sealOrder`, of the order's record, or of `findOwnOrders`
 */
export function closeOrderCall(vaultOrderId: Hex): Hex {
  return encodeFunctionData({
    ...{ abi: orderVaultAbi, functionName: 'closeOrder', args: [vaultOrderId] },
  })
}

/**
 * Calldata by which the caller takes what a token refused to pay to it when its orders were closed.
 *
 * @param to who is paid
 */
export function claimCreditCall(token: Hex, to: Hex): Hex {
  return encodeFunctionData({ abi: orderVaultAbi, functionName: 'claim', args: [token, to] })
}

/** What the vault itself says of an order; amounts in base units, times in unix seconds. */
export type VaultOrder = {
  owner: Hex
  token: Hex
  destChainId: bigint
  tokenB: Hex
  expectedAmountB: bigint
  amountPerPeriod: bigint
  period: bigint
  firstAt: bigint
  endTime: bigint
  /** 0 once closed. */
  left: bigint
  /** Tranches. */
  fired: bigint
  lastFiredAt: bigint
  quorum: number
  closed: boolean
}

/** The part of viem's public client that is needed. */
type Reader = Pick<PublicClient, 'readContract'>

/** An order, straight from the chain; null when the vault knows none by this id. */
export async function readVaultOrder(
  client: Reader,
  vault: Hex,
  vaultOrderId: Hex,
): Promise<VaultOrder | null> {
  const order = await client.readContract({
    ...{ address: vault, abi: orderVaultAbi, functionName: 'getOrder', args: [vaultOrderId] },
  })
  return /^0x0{40}$/.test(order.owner) ? null : order
}

/** What `owner` can claim of a token by `claimCreditCall`, in base units. */
export function readCredit(
  client: Reader,
  vault: Hex,
  { owner, token }: { owner: Hex; token: Hex },
): Promise<bigint> {
  return client.readContract({
    ...{ address: vault, abi: orderVaultAbi, functionName: 'claimable', args: [owner, token] },
  })
}
