import { type Address, decodeFunctionData, type Hex } from 'viem'
import type * as z from 'zod/mini'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { orderVaultAbi } from '../../src/event/abi/orderVault.ts'
import type { CairnChain } from '../client/clientOptions.ts'
import { invalidArgument, requireAddress, requireOrderId } from '../errors/invalidArgument.ts'
import { withChainErrors } from '../errors/toCairnError.ts'
import {
  cancelOrderMessage,
  placeOrderMessage,
  readOrdersMessage,
} from '../messages/orderMessages.ts'
import type { RelayerAddress } from '../relayer/relayerAddress.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import { type RelayerRequest, requestRelayer } from '../relayer/requestRelayer.ts'
import { invalidAnswer } from '../relayer/requireOwnAnswer.ts'
import type { RegistryOn } from '../relayer/verifyEnclaveKey.ts'
import type { VaultOnChain } from './isShownByVault.ts'
import * as responses from './orderResponses.ts'
import { type OrderParams, sealOrder } from './sealOrder.ts'
import { verifyOrderKey } from './verifyOrderKey.ts'
import { waitForOrder } from './waitForOrder.ts'

/** Signs a text as wallets do (EIP-191 `personal_sign`), as the order's owner. */
export type SignMessage = (message: string) => Promise<Hex>

/** How long a signed request is valid, in seconds. */
const VALID_FOR_SECONDS = 600

/** Timeout of requests that the service answers only once a transaction is mined. */
const MINED_TIMEOUT_MS = 60_000

/**
 * A typed client of the order service. Every call throws only RelayerErrors, the signer's errors or, for an invalid
 * argument, a CairnError `INVALID_REQUEST`; `createOrder` also the chain's.
 */
export type OrdersClient = {
  /**
   * The vault, as the service says. Approve only the vault that you know to be the chain's, for `totalAmountIn` of `assetIn`:
   * the service could name an account of its own.
   */
  vaultAddress(): Promise<Hex>
  /** The key to encrypt orders to, as the service says. `createOrder` checks it, if it can. */
  eciesPublicKey(): Promise<Hex>
  /**
   * Encrypts an order, has its owner sign it, and places it; resolves when its tokens are in the vault. If the source
   * chain has a `vault`, the chain must show it; otherwise the service is believed. Each call makes a new order: if
   * your program was stopped during one, look for it with `findOwnOrders` first. It may be placed until ten minutes after you signed.
   *
   * @throws NotAnEnclaveError when the source chain has a `registry`, and none of its active enclaves has signed the service's
   *   key: its owner would read the recipients
   * @throws CairnError `INVALID_REQUEST` when `chains` lacks the source chain, or its `publicClient` beside a `registry`
   * @throws RelayerError `GAS_NOT_PAID`: send `details.data` to the vault that you know; it has been checked to place this order
   * @throws RelayerError with `details.vaultOrderId`, which means that the order may be placed all the same: it isn't `retryable`,
   *   and `order(details.vaultOrderId)` shows whether it is
   */
  createOrder(order: OrderParams, sign: SignMessage): Promise<responses.ScheduledOrder>
  /**
   * One order, unverified: `waitForOrder` checks it, and `readVaultOrder` reads the chain.
   *
   * @param orderId `twap-…`, or the vault's id
   * @param sign the owner's; reveals the recipients, to the service too
   * @param options `signal`: ends the request, which then rejects with the signal's reason
   */
  order(
    orderId: string,
    sign?: SignMessage,
    options?: { signal?: AbortSignal },
  ): Promise<responses.ScheduledOrder>
  /** A page of a user's orders, newest first, without recipients. Unverified: `findOwnOrders` reads the chain. */
  listOrders(user: Hex, page?: { limit?: number; cursor?: string }): Promise<responses.OrderPage>
  /**
   * Cancels an order: the remainder is returned, fired tranches continue. Resolves when the service says so or, if its
   * chain has a `vault`, when the vault shows it. Without the service: `closeOrderCall`.
   *
   * @param orderId `twap-…`, or the vault's id
   * @throws RelayerError `ANSWER_INVALID` when the vault doesn't show it: close the order with `closeOrderCall`
   */
  cancelOrder(orderId: string, sign: SignMessage): Promise<responses.ScheduledOrder>
}

/** The order service, and the chains that show whether it tells the truth. */
export type OrdersClientOptions = RelayerAddress & {
  chains?: readonly (Pick<CairnChain, 'chainId' | 'registry' | 'publicClient'> & {
    /**
     * `OrderVault`. Don't take its address from the service. With it, `createOrder` and `cancelOrder` resolve only once the chain
     * shows what the service says; without it, a service can say falsely that an order is placed or cancelled. If you set it for
     * one chain, set it for each chain that you place orders on.
     */
    vault?: Address | undefined
  })[]
}

type OrderChains = NonNullable<OrdersClientOptions['chains']>

/** How long the vault may take to show what the service says: longer than `waitForOrder` takes to find a contradiction. */
const SHOWN_WITHIN_MS = 150_000

/** Null for a chain without one. @throws CairnError `INVALID_REQUEST` rather than leave a key unchecked by mistake */
function findRegistry(chains: OrderChains, chainId: number): RegistryOn | null {
  const chain = chains.find((one) => one.chainId === chainId)
  const { registry, publicClient: client } = chain ?? {}
  if (chain !== undefined && registry === undefined) return null
  if (registry !== undefined && client !== undefined) return { client, registry }
  const what = chain === undefined ? 'an entry' : 'a publicClient'
  throw invalidArgument('chains', `${what} for chain ${chainId}, to check the order service’s key`)
}

/** Undefined if no chain has one. @throws CairnError `INVALID_REQUEST` if only others do: a service could name a chain without one */
function findVault(chains: OrderChains | undefined, chainId: number): VaultOnChain | undefined {
  if (chains === undefined || chains.every(({ vault }) => vault === undefined)) return undefined
  const { vault, publicClient: client } = chains.find((one) => one.chainId === chainId) ?? {}
  if (vault !== undefined && client !== undefined) return { client, address: vault }
  const what = `a vault and a publicClient for chain ${chainId}, to check what the order service says`
  throw invalidArgument('chains', what)
}

export function createOrdersClient({ chains, ...address }: OrdersClientOptions): OrdersClient {
  const send = <Answer>(request: RelayerRequest, schema: z.ZodMiniType<Answer>) =>
    requestRelayer({ service: 'the order service', ...address }, request, schema)
  const post = async (path: string, body: object) =>
    (await send({ method: 'POST', path, body, timeoutMs: MINED_TIMEOUT_MS }, responses.orderAnswer))
      .order
  const readKey = () => send({ path: '/ecies-pubkey' }, responses.orderKeyAnswer)
  const readSealingKey = async (sourceChainId: number) => {
    const registry = chains === undefined ? null : findRegistry(chains, sourceChainId)
    const found = await readKey()
    if (registry === null) return found.publicKey
    return withChainErrors(() => verifyOrderKey(found, registry))
  }
  /** The order, once the vault shows what the service says; at once without a vault. */
  const requireShown = async (
    order: responses.ScheduledOrder,
    vault: VaultOnChain | undefined,
  ): Promise<responses.ScheduledOrder> => {
    if (vault === undefined) return order
    const { vaultOrderId: id } = order
    // The service isn't asked again: another of its instances may not know the order yet.
    const answered = { order: async () => order }
    const options = { vault, until: () => true, timeoutMs: SHOWN_WITHIN_MS }
    return waitForOrder(answered, id, options).catch((cause: unknown) => {
      const message = `the vault doesn’t show what the order service says about order ${id}: check it with readVaultOrder`
      throw new RelayerError({ code: 'ANSWER_INVALID', message, status: 200 }, { cause })
    })
  }
  return {
    vaultAddress: async () => (await send({ path: '/address' }, responses.addressAnswer)).address,
    eciesPublicKey: async () => (await readKey()).publicKey,
    createOrder: async (order, sign) => {
      const vault = findVault(chains, order.sourceChainId)
      const { encrypted, vaultOrderId } = sealOrder(
        await readSealingKey(order.sourceChainId),
        order,
      )
      const message = placeOrderMessage(
        vaultOrderId,
        order.sourceChainId,
        inSeconds(VALID_FOR_SECONDS),
      )
      const signature = await sign(message)
      try {
        const placed = await post('/orders', { encrypted, message, signature })
        return await requireShown(requireSameOrder(placed, vaultOrderId), vault)
      } catch (error) {
        throw refuseRepetition(requireOwnFunding(error, encrypted), vaultOrderId)
      }
    },
    order: async (orderId, sign, { signal } = {}) => {
      const id = toShortId(orderId)
      const headers = await signReadHeaders(id, sign)
      const request = { path: `/orders/${id}`, headers, signal }
      const { order } = await send(request, responses.orderAnswer)
      return requireSameOrder(order, orderId)
    },
    listOrders: async (user, { limit, cursor } = {}) => {
      requireAddress(user, 'user', false)
      const query = { user, limit, cursor }
      const page = await send({ path: '/orders', query }, responses.ordersAnswer)
      if (page.orders.every((order) => order.user.toLowerCase() === user.toLowerCase())) return page
      throw invalidAnswer(`the order service answered with orders of others than ${user}`)
    },
    cancelOrder: async (orderId, sign) => {
      const message = cancelOrderMessage(toShortId(orderId), inSeconds(VALID_FOR_SECONDS))
      const body = { message, signature: await sign(message) }
      const order = requireSameOrder(await post(`/orders/${orderId}/cancel`, body), orderId)
      if (order.status === 'active')
        throw invalidAnswer(
          `the order service answered that order ${orderId} is still active: close it with closeOrderCall`,
        )
      return requireShown(order, findVault(chains, order.sourceChainId))
    },
  }
}

/**
 * The API's id of an order. A signature over the vault's 64 digits places an order, perhaps one of whoever named these
 * digits, so nothing else may be signed with them.
 */
function toShortId(orderId: string): string {
  requireOrderId(orderId)
  return /^0x/i.test(orderId) ? toApiOrderId(orderId.toLowerCase() as Hex) : orderId
}

/** @throws RelayerError `ANSWER_INVALID` */
function requireSameOrder(
  order: responses.ScheduledOrder,
  orderId: string,
): responses.ScheduledOrder {
  const { id, vaultOrderId } = order
  const isOwn = [vaultOrderId, toApiOrderId(vaultOrderId)].includes(orderId.toLowerCase() as Hex)
  if (isOwn && id === toApiOrderId(vaultOrderId)) return order
  throw invalidAnswer(`the order service answered with order ${vaultOrderId}, not ${orderId}`)
}

/** The service's error if its call places this order. The owner must send no other, which could move their tokens. */
function requireOwnFunding(error: unknown, encrypted: Hex): unknown {
  if (!(error instanceof RelayerError) || error.code !== 'GAS_NOT_PAID') return error
  if (isFunding(error.details.data, encrypted)) return error
  return invalidAnswer('the order service’s call doesn’t place this order: don’t send it')
}

function isFunding(data: unknown, encrypted: Hex): boolean {
  try {
    const call = decodeFunctionData({ abi: orderVaultAbi, data: data as Hex })
    return call.functionName === 'fundOrder' && call.args[1] === encrypted
  } catch {
    return false
  }
}

/** An order whose service gave no valid result may be placed all the same. Other failures are returned unchanged. */
function refuseRepetition(error: unknown, vaultOrderId: Hex): unknown {
  if (!(error instanceof RelayerError)) return error
  const isRefusal = error.status >= 400 && error.status < 500
  if (isRefusal) return error
  const { code, status, requestId, cause } = error
  const message = `${error.message}. The order may be placed all the same: read it by details.vaultOrderId before you place another`
  const details = { ...error.details, vaultOrderId }
  return new RelayerError(
    { code, message, status, requestId, details, retryable: false },
    { cause },
  )
}

async function signReadHeaders(
  orderId: string,
  sign: SignMessage | undefined,
): Promise<Record<string, string>> {
  if (!sign) return {}
  const timestamp = inSeconds(0)
  const signature = await sign(readOrdersMessage(orderId, timestamp))
  return { 'x-signature': signature, 'x-timestamp': String(timestamp) }
}

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds
}
