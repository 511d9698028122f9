import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { worth } from '../../devnet/tokens.ts'
import { cancelOrderMessage, placeOrderMessage } from '../../sdk/messages/orderMessages.ts'
import { createOrdersClient } from '../../sdk/orders/ordersClient.ts'
import { sealOrder } from '../../sdk/orders/sealOrder.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import { createOwner, retryUntilAnswered } from './orderOwner.ts'

/**
 * Owners who place orders throughout the campaign. Some cancel at once, one after another; others run to their last
 * tranche, many at a time, so that some tranche is always due. Every order gets a new owner, because the service
 * sponsors only a few unprofitable orders per owner.
 */
export type OrderTraffic = {
  /** Orders funded and then cancelled before their first tranche. */
  done(): number
  /** Every order placed. */
  placed(): readonly PlacedOrder[]
  /** @throws the error that prevented an order from being placed */
  mustGoOn(): void
  /** Places no more orders; resolves when the last one is closed. */
  endPlacing(): Promise<void>
}

export type PlacedOrder = {
  owner: Hex
  /** The order's id in the vault. */
  id: Hex
  /** The address each tranche pays. */
  payee: Hex
  hasTranches: boolean
}

export const PER_PERIOD = worth('USDC', 20_000)
/** Three tranches plus seven base units, which the vault returns when the order closes. */
export const TOTAL = PER_PERIOD * 3n + 7n
/** Minimum amount a tranche delivers. */
export const EXPECTED = worth('USDC', 18_400)
/** Seconds. */
const PERIOD = 12
const YEAR = 31_536_000

/** Milliseconds between cancelled orders, and between polls. */
const AGAIN_MS = 200

export async function startOrderTraffic(
  { chains, devnet }: MoneyTestbed,
  { orderEveryMs }: { orderEveryMs: number },
): Promise<OrderTraffic> {
  const [source, destination] = chains
  const { chainId, client, contracts } = source
  const url = devnet.file.orders ?? ''
  const key = await createOrdersClient({ baseUrl: url }).eciesPublicKey()
  const never = Math.floor(Date.now() / 1_000) + YEAR
  const placed: PlacedOrder[] = []
  const running: Promise<void>[] = []
  const ending = new AbortController()
  let done = 0
  let failure: unknown = null

  async function place(hasTranches: boolean): Promise<PrivateKeyAccount> {
    const owner = await createOwner(source, TOTAL)
    const payee = privateKeyToAccount(generatePrivateKey()).address
    const now = Number((await client.getBlock()).timestamp)
    const startTime = hasTranches ? now : now + YEAR
    const { encrypted, vaultOrderId } = sealOrder(key, {
      user: owner.address,
      assetIn: contracts.tokens.USDC,
      assetOut: destination.contracts.tokens.USDC,
      recipients: [payee],
      amounts: [EXPECTED],
      chainIn: 'base_sepolia',
      chainOut: 'horizen_testnet',
      sourceChainId: chainId,
      destChainId: destination.chainId,
      period: PERIOD,
      totalAmountIn: TOTAL,
      amountPerPeriod: PER_PERIOD,
      startTime,
      endTime: never + YEAR,
    })
    placed.push({ owner: owner.address, id: vaultOrderId, payee, hasTranches })
    const message = placeOrderMessage(vaultOrderId, chainId, never)
    await retryUntilAnswered(`${url}/orders`, owner, message, { encrypted })
    return owner
  }

  function cancel(owner: PrivateKeyAccount, vaultOrderId: Hex): Promise<void> {
    const id = toApiOrderId(vaultOrderId)
    return retryUntilAnswered(`${url}/orders/${id}/cancel`, owner, cancelOrderMessage(id, never))
  }

  async function placeAndCancelAll(): Promise<void> {
    while (!ending.signal.aborted) {
      const owner = await place(false)
      await cancel(owner, idOf(owner))
      done += 1
      await pause(AGAIN_MS)
    }
  }

  async function placeWithTranchesAll(): Promise<void> {
    for (let number = 0; !ending.signal.aborted; number++) {
      running.push(seeThrough(await place(true), number % 3 === 2))
      await pause(orderEveryMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  /** Runs the order to its last tranche, or cancels it after funding. */
  async function seeThrough(owner: PrivateKeyAccount, isCancelled: boolean): Promise<void> {
    const id = idOf(owner)
    const read = () =>
      client.readContract({
        address: contracts.vault,
        abi: orderVaultAbi,
        functionName: 'getOrder',
        args: [id],
      })
    if (isCancelled) {
      while ((await read()).fired === 0n) await pause(AGAIN_MS)
      await cancel(owner, id)
    }
    while (!(await read()).closed) await pause(AGAIN_MS)
  }

  function idOf({ address }: PrivateKeyAccount): Hex {
    return placed.find(({ owner }) => owner === address)!.id
  }

  const placing = Promise.all([placeAndCancelAll(), placeWithTranchesAll()])
  placing.catch((error) => {
    failure = error
  })
  const mustGoOn = () => {
    if (failure !== null) throw failure
  }
  return {
    done: () => done,
    placed: () => placed,
    mustGoOn,
    endPlacing: async () => {
      ending.abort()
      await placing
      await Promise.all(running)
    },
  }
}
