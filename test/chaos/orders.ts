import { setTimeout as pause } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { devnetAccounts } from '../../devnet/accounts.ts'
import { worth } from '../../devnet/tokens.ts'
import { cancelOrderMessage, placeOrderMessage } from '../../sdk/messages/orders.ts'
import { createOrdersClient } from '../../sdk/orders/ordersClient.ts'
import { type SealedOrder, sealOrder } from '../../sdk/orders/sealOrder.ts'
import { accountSender } from '../../services/chain/accountSender.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import { apiOrderId } from '../../src/order/apiOrderId.ts'
import type { MoneyStage } from '../e2e/money/moneyStage.ts'

/**
 * An owner who places an order and cancels it, and then the next, whatever dies meanwhile. None comes to a tranche:
 * tranches are intents too, and would have the numbers that the traffic's are to have.
 */
export type OrderTraffic = {
  /** Orders that were funded and closed. */
  done(): number
  /** Begins no further one; resolves once the last is closed. */
  endPlacing(): Promise<void>
  /** What is not as it has to be: each was funded once and closed once, and nothing is left in the vault. */
  problems(): Promise<string[]>
}

const PER_PERIOD = worth('USDC', 20_000)
const YEAR = 31_536_000

/** Milliseconds between two requests. */
const AGAIN_MS = 200

export async function startOrderTraffic({ chains, devnet }: MoneyStage): Promise<OrderTraffic> {
  const [{ chainId, client, contracts }, destination] = chains
  const { owner } = devnetAccounts()
  const { tokens, vault } = contracts
  const approve = { abi: erc20Abi, functionName: 'approve', args: [vault, maxUint256] } as const
  await accountSender(client, owner).execute({
    to: tokens.USDC,
    data: encodeFunctionData(approve),
  })
  const url = devnet.file.orders ?? ''
  const key = await createOrdersClient({ baseUrl: url }).eciesPublicKey()
  const placed: Hex[] = []
  let done = 0
  let isEnding = false

  function nextOrder(): SealedOrder {
    const soon = Math.floor(Date.now() / 1_000) + YEAR
    return sealOrder(key, {
      ...{ user: owner.address, assetIn: tokens.USDC, assetOut: destination.contracts.tokens.USDC },
      ...{ chainIn: 'base_sepolia', chainOut: 'horizen_testnet' },
      ...{ sourceChainId: chainId, destChainId: destination.chainId },
      ...{ totalAmountIn: PER_PERIOD * 2n, amountPerPeriod: PER_PERIOD, period: 60 },
      ...{ startTime: soon, endTime: soon + YEAR, recipients: [owner.address] },
      amounts: [worth('USDC', 18_400)],
    })
  }

  /** The same request, until it is answered: a refusal ends everything. */
  async function insist(path: string, message: string, more: object = {}): Promise<void> {
    const signature = await owner.signMessage({ message })
    const body = JSON.stringify({ ...more, message, signature })
    for (;;) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(url + path, { method: 'POST', headers, body }).catch(() => null)
      if (answer?.ok) return
      if (answer && answer.status < 500 && answer.status !== 404 && answer.status !== 429) {
        throw new Error(`an order was refused: ${await answer.text()}`)
      }
      await pause(AGAIN_MS)
    }
  }

  async function placeAll(): Promise<void> {
    const never = Math.floor(Date.now() / 1_000) + YEAR
    while (!isEnding) {
      const { encrypted, vaultOrderId } = nextOrder()
      placed.push(vaultOrderId)
      await insist('/orders', placeOrderMessage(vaultOrderId, chainId, never), { encrypted })
      const id = apiOrderId(vaultOrderId)
      await insist(`/orders/${id}/cancel`, cancelOrderMessage(id, never))
      done += 1
      await pause(AGAIN_MS)
    }
  }
  const placing = placeAll()
  placing.catch(() => {})

  async function timesOf(eventName: 'OrderFunded' | 'OrderClosed'): Promise<Map<Hex, number>> {
    const logs = await client.getContractEvents({
      ...{ address: vault, abi: orderVaultAbi, eventName, fromBlock: 0n, strict: true },
    })
    const times = new Map<Hex, number>()
    for (const { args } of logs) times.set(args.orderId, (times.get(args.orderId) ?? 0) + 1)
    return times
  }

  return {
    done: () => done,
    endPlacing: async () => {
      isEnding = true
      await placing
    },
    async problems() {
      const found: string[] = []
      for (const name of ['OrderFunded', 'OrderClosed'] as const) {
        const times = await timesOf(name)
        for (const id of placed) {
          if (times.get(id) !== 1) found.push(`${times.get(id) ?? 0} times: ${name} of ${id}`)
        }
        if (times.size !== placed.length) {
          found.push(`${times.size} orders have ${name}, ${placed.length} were placed`)
        }
      }
      const balance = { abi: erc20Abi, functionName: 'balanceOf', args: [vault] } as const
      const left = await client.readContract({ address: tokens.USDC, ...balance })
      if (left !== 0n) found.push(`${left} of USDC are left in the vault`)
      return found
    },
  }
}
