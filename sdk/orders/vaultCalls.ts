import { encodeFunctionData, type Hex, type PublicClient } from 'viem'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'

/**
 * Calldata with which an owner ends its order without any service, at any time: the vault pays what is left
 * to the owner. From a day after the order's end anyone can send it.
 *
 * @param vaultOrderId of `sealOrder`, of the order's record, or of `findOwnOrders`
 */
export function closeOrderCall(vaultOrderId: Hex): Hex {
  return encodeFunctionData({
    ...{ abi: orderVaultAbi, functionName: 'closeOrder', args: [vaultOrderId] },
  })
}

/**
 * Calldata with which the caller claims what a token refused to pay it when its orders were closed.
 *
 * @param to who is paid
 */
export function claimCreditCall(token: Hex, to: Hex): Hex {
  return encodeFunctionData({ abi: orderVaultAbi, functionName: 'claim', args: [token, to] })
}

/** The vault's own record of an order; amounts in base units, times in unix seconds. */
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

/** An order, straight from the chain; null when the vault has none with this id. */
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
