import { setTimeout as pause } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { apiOrderId } from '../../core/order/apiOrderId.ts'
import { worth } from '../../devnet/tokens.ts'
import { cancelOrderMessage, placeOrderMessage } from '../../sdk/messages/orders.ts'
import { createOrdersClient } from '../../sdk/orders/ordersClient.ts'
import { type SealedOrder, sealOrder } from '../../sdk/orders/sealOrder.ts'
import { accountSender } from '../../services/chain/accountSender.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { MoneyStage } from '../e2e/money/moneyStage.ts'

/**
 * Owners, one after the other, who place an order and cancel it, whatever dies meanwhile. None comes to a tranche:
 * tranches are intents too, and would have the numbers that the traffic's are to have. Each owner is a new one,
 * since the service pays for few orders of an owner that bring no fee.
 */
export type OrderTraffic = {
  /** Orders that were funded and closed. */
  done(): number
  /** Begins no further one; resolves once the last is closed. */
  endPlacing(): Promise<void>
  /** What is not as it has to be: each was funded once and closed once, and nothing is left in the vault. */
  problems(): Promise<string[]>
}

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

const PER_PERIOD = worth('USDC', 20_000)
const TOTAL = PER_PERIOD * 2n
const YEAR = 31_536_000

/** Milliseconds between two requests. */
const AGAIN_MS = 200

export async function startOrderTraffic({ chains, devnet }: MoneyStage): Promise<OrderTraffic> {
  const [{ chainId, client, contracts }, destination] = chains
  const { tokens, vault } = contracts
  const token = { address: tokens.USDC, abi: erc20Abi } as const
  const url = devnet.file.orders ?? ''
  const key = await createOrdersClient({ baseUrl: url }).eciesPublicKey()
  const placed: { owner: Hex; id: Hex }[] = []
  let done = 0
  let isEnding = false

  async function nextOwner(): Promise<PrivateKeyAccount> {
    const owner = privateKeyToAccount(generatePrivateKey())
    await client.setBalance({ address: owner.address, value: 10n ** 18n })
    const sender = accountSender(client, owner)
    const calls = [
      encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [owner.address, TOTAL] }),
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault, TOTAL] }),
    ]
    for (const data of calls) await sender.execute({ to: tokens.USDC, data, gas: 100_000n })
    return owner
  }

  function nextOrder(owner: PrivateKeyAccount): SealedOrder {
    const soon = Math.floor(Date.now() / 1_000) + YEAR
    return sealOrder(key, {
      ...{ user: owner.address, assetIn: tokens.USDC, assetOut: destination.contracts.tokens.USDC },
      ...{ chainIn: 'base_sepolia', chainOut: 'horizen_testnet' },
      ...{ sourceChainId: chainId, destChainId: destination.chainId },
      ...{ totalAmountIn: TOTAL, amountPerPeriod: PER_PERIOD, period: 60 },
      ...{ startTime: soon, endTime: soon + YEAR, recipients: [owner.address] },
      amounts: [worth('USDC', 18_400)],
    })
  }

  /** The same request, until it is answered: a refusal ends everything. */
  async function insist(
    owner: PrivateKeyAccount,
    path: string,
    message: string,
    more: object = {},
  ): Promise<void> {
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
      const owner = await nextOwner()
      const { encrypted, vaultOrderId } = nextOrder(owner)
      placed.push({ owner: owner.address, id: vaultOrderId })
      await insist(owner, '/orders', placeOrderMessage(vaultOrderId, chainId, never), { encrypted })
      const id = apiOrderId(vaultOrderId)
      await insist(owner, `/orders/${id}/cancel`, cancelOrderMessage(id, never))
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
        for (const { id } of placed) {
          if (times.get(id) !== 1) found.push(`${times.get(id) ?? 0} times: ${name} of ${id}`)
        }
        if (times.size !== placed.length) {
          found.push(`${times.size} orders have ${name}, ${placed.length} were placed`)
        }
      }
      const balanceOf = (who: Hex) =>
        client.readContract({ ...token, functionName: 'balanceOf', args: [who] })
      const left = await balanceOf(vault)
      if (left !== 0n) found.push(`${left} of USDC are left in the vault`)
      for (const { owner, id } of placed) {
        const has = await balanceOf(owner)
        if (has !== TOTAL) found.push(`the owner of ${id} has ${has} of ${TOTAL}`)
      }
      return found
    },
  }
}
