import { encodeFunctionData, type Hex, type PublicClient } from 'viem'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import { invalidArgument, requireAddress } from '../errors/invalidArgument.ts'
import { withChainErrors } from '../errors/toCairnError.ts'

/**
 * Calldata with which an owner closes its order without any service, at any time: the vault returns the remainder to the
 * owner. Anyone can send it from a day after the order's end.
 *
 * @param vaultOrderId from `sealOrder`, the order's record, or `findOwnOrders`
 * @throws CairnError `INVALID_REQUEST`, as for the service's id of the order
 */
export function closeOrderCall(vaultOrderId: Hex): Hex {
  requireVaultOrderId(vaultOrderId)
  return encodeFunctionData({
    abi: orderVaultAbi,
    functionName: 'closeOrder',
    args: [vaultOrderId],
  })
}

/**
 * Calldata with which the caller claims what a token refused to pay out when its orders were closed.
 *
 * @param to the receiver
 * @throws CairnError `INVALID_REQUEST`
 */
export function claimCreditCall(token: Hex, to: Hex): Hex {
  requireAddress(token, 'token')
  requireAddress(to, 'to')
  return encodeFunctionData({ abi: orderVaultAbi, functionName: 'claim', args: [token, to] })
}

/** The vault's record of an order; amounts in base units, times in unix seconds. */
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
  /** Number of tranches. */
  fired: bigint
  lastFiredAt: bigint
  quorum: number
  closed: boolean
}

/** The part of viem's public client that is used. */
type Reader = Pick<PublicClient, 'readContract'>

/**
 * Reads an order from the chain; null when the vault has none with this id.
 *
 * @throws CairnError
 */
export async function readVaultOrder(
  client: Reader,
  vault: Hex,
  vaultOrderId: Hex,
): Promise<VaultOrder | null> {
  requireVaultOrderId(vaultOrderId)
  requireAddress(vault, 'vault')
  const of = { address: vault, abi: orderVaultAbi, functionName: 'getOrder' } as const
  const order = await withChainErrors(() => client.readContract({ ...of, args: [vaultOrderId] }))
  return /^0x0{40}$/.test(order.owner) ? null : order
}

function requireVaultOrderId(id: Hex): void {
  if (/^0x[0-9a-fA-F]{64}$/.test(id)) return
  throw invalidArgument('vaultOrderId', 'the vault’s id of an order: 0x and 64 hex digits')
}

/**
 * The amount of a token `owner` can claim with `claimCreditCall`, in base units.
 *
 * @throws CairnError
 */
export async function readCredit(
  client: Reader,
  vault: Hex,
  { owner, token }: { owner: Hex; token: Hex },
): Promise<bigint> {
  requireAddress(vault, 'vault')
  const of = { address: vault, abi: orderVaultAbi, functionName: 'claimable' } as const
  return withChainErrors(() => client.readContract({ ...of, args: [owner, token] }))
}
