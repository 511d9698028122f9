import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import type { OrdersClient } from '../../../sdk/orders/ordersClient.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import type { DevnetAccount } from '../../accounts.ts'
import { type TokenSymbol, worth } from '../../tokens.ts'
import type { TrafficChain } from '../trafficChainClient.ts'
import { ORDER_PLANS, type OrderKind } from './orderKinds.ts'

/** What each tranche escrows and asks for; the difference is the solvers' margin. */
const TRANCHE_CENTS = 20_000
const FAIR_CENTS = 18_400
const TOO_DEAR_CENTS = 21_000

const TOKEN: TokenSymbol = 'USDC'
const GAS = 100_000n

/** The chain on which the owner orders, and the one to deliver to. */
type OrderRoute = {
  source: TrafficChain & { name: string }
  destination: TrafficChain & { name: string }
  /** Sends the owner's own transactions on the source chain. */
  sender: AccountSender
}

/** Places an order of this kind: approves the vault if needed, encrypts, signs and submits. */
export async function placeOrder(
  orders: OrdersClient,
  owner: DevnetAccount,
  { source, destination, sender }: OrderRoute,
  kind: OrderKind,
): Promise<void> {
  const { period, tranches, lasts, isTooDear } = ORDER_PLANS[kind]
  await approveVault(source, owner, sender)
  const startTime = Number((await source.client.getBlock()).timestamp)
  const each = worth(TOKEN, TRANCHE_CENTS)
  const order = {
    user: owner.address,
    assetIn: source.contracts.tokens[TOKEN],
    assetOut: destination.contracts.tokens[TOKEN],
    chainIn: source.name,
    chainOut: destination.name,
    sourceChainId: source.chainId,
    destChainId: destination.chainId,
    totalAmountIn: each * BigInt(tranches),
    amountPerPeriod: each,
    period,
    startTime,
    endTime: startTime + lasts,
    recipients: [owner.address],
    amounts: [worth(TOKEN, isTooDear ? TOO_DEAR_CENTS : FAIR_CENTS)],
  }
  await orders.createOrder(order, (message) => owner.signMessage({ message }))
}

async function approveVault(
  { client, contracts: { tokens, vault } }: TrafficChain,
  owner: DevnetAccount,
  sender: AccountSender,
): Promise<void> {
  const token = { address: tokens[TOKEN], abi: erc20Abi }
  const args = [owner.address, vault] as const
  const allowance = await client.readContract({ ...token, functionName: 'allowance', args })
  if (allowance > maxUint256 / 2n) return
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [vault, maxUint256],
  })
  await sender.execute({ to: tokens[TOKEN], data, gas: GAS })
}
