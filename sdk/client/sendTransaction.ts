import { type Address, type Chain, type Hex, type TransactionReceipt, walletActions } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { findViemError } from '../errors/findViemError.ts'
import { isRejectedByUser, mayHaveBeenSent, withChainErrors } from '../errors/toCairnError.ts'
import { abortableSleep } from '../events/abortableSleep.ts'
import { countSent } from './countSent.ts'
import { guardSigning } from './guardSigning.ts'
import { requireChain, type SendingWallet } from './requireWallet.ts'
import { waitForReceipt } from './waitForReceipt.ts'

type SendOptions = {
  /** The account's nonce to use; default: the wallet's choice. */
  nonce?: number
  /** Gas limit of a call that a node can't simulate: it is sent without a simulation. */
  gas?: bigint
  /** Whether a second such transaction would pay again. */
  isPayment?: boolean
  /** Awaited right before the wallet is asked: what fails earlier has sent nothing. */
  beforeSend?: () => Promise<void>
  /** Awaited if the wallet's owner rejects the transaction and no earlier request can have sent it. */
  onRejected?: () => Promise<void>
}

/** How long a node behind a load balancer may lag behind the one that had the previous transaction's receipt. */
const LAG_MS = 15_000

/**
 * Simulates the call, so that a revert costs nothing and is explained; sends it, and waits for its block. Right after another
 * transaction of the wallet, such as an approval, it retries a call that would revert: the node may lack that transaction.
 *
 * @throws CairnError; of a payment that may be mined all the same, one that isn't `retryable`
 */
export async function sendTransaction(
  sending: SendingWallet,
  to: Address,
  data: Hex,
  options: SendOptions = {},
): Promise<TransactionReceipt> {
  const seenAt = sending.previous?.seenAt ?? Number.NEGATIVE_INFINITY
  let wasAsked = false
  const beforeSend = async () => {
    await options.beforeSend?.()
    wasAsked = true
  }
  for (;;) {
    try {
      return await sendOnce(sending, to, data, { ...options, beforeSend })
    } catch (error) {
      // What a wallet reports as reverted may wait in a Safe's queue. A plain key's next attempt has the same nonce.
      const mayBeQueued = wasAsked && sending.account.type !== 'local'
      const isOver = performance.now() - seenAt > LAG_MS
      if (mayBeQueued || !isRevertUnsent(error) || isOver) throw error
      await abortableSleep(sending.client.pollingInterval)
    }
  }
}

/** Whether nothing was sent because the call would revert. */
function isRevertUnsent(error: unknown): boolean {
  return error instanceof CairnError && error.code === 'CONTRACT_REVERTED' && !error.details.txHash
}

async function sendOnce(
  sending: SendingWallet,
  to: Address,
  data: Hex,
  { isPayment = false, gas, beforeSend, onRejected, ...options }: SendOptions,
): Promise<TransactionReceipt> {
  const { wallet, client, account, source } = sending
  return withChainErrors(async () => {
    await requireChain(sending)
    if (gas === undefined) await client.call({ account, to, data })
    const isKey = isPlainKey(sending)
    const nonce = options.nonce ?? (isKey ? await countSent(sending, wallet) : undefined)
    await beforeSend?.()
    const place = nonce === undefined ? {} : { nonce }
    // Has viem compare the wallet's chain once more, right before it sends: its owner may have switched during the simulation.
    const chain = wallet.chain ?? asChain(source)
    let hash: Hex | null = null
    const counted = countRefusals(wallet)
    const guarded = guardSigning(account, source)
    const own = { account: guarded.account, chain }
    const transaction = { ...own, to, data, ...place, ...(gas && { gas }) }
    try {
      const isCounted = onRejected !== undefined && account.type === 'json-rpc'
      hash = isCounted
        ? await counted.sendTransaction(transaction)
        : await wallet.sendTransaction(transaction)
      hash = guarded.signedHash() ?? hash
      const receipt = await waitForReceipt(client, { hash })
      sending.previous = { nonce: isKey ? nonce : undefined, seenAt: performance.now() }
      if (receipt.status === 'success') return receipt
    } catch (error) {
      const refusal = guarded.refusal()
      if (refusal !== null) throw refusal
      const isRejected = hash === null && isRejectedByUser(error)
      if (isRejected && counted.refusals() < 2) await onRejected?.()
      throw isPayment ? refuseRepetition(error, hash, guarded.signedHash()) : error
    }
    const words = 'the transaction was mined and reverted: details.txHash shows why'
    throw new CairnError('CONTRACT_REVERTED', words, { details: { txHash: hash } })
  })
}

/**
 * The wallet, counting how often it refuses to send. After some errors, viem asks again by another method. What the owner then
 * rejects may already wait in a Safe's queue, unless the wallet doesn't know the first method.
 */
function countRefusals(wallet: SendingWallet['wallet']) {
  let refusals = 0
  const request = async (asked: { method: string }, options: object) => {
    try {
      return await wallet.request(asked as never, options)
    } catch (error) {
      const isUnknownMethod = findViemError(error, UNKNOWN_METHOD) !== null
      if (/send/i.test(asked.method) && !isUnknownMethod) refusals += 1
      throw error
    }
  }
  const { sendTransaction: send } = walletActions({ ...wallet, request: request as never })
  return { sendTransaction: send, refusals: () => refusals }
}

const UNKNOWN_METHOD = ['MethodNotFoundRpcError', 'MethodNotSupportedRpcError']

/** Whether viem would take the nonce from the node. Other wallets, and keys with a nonce manager, choose their own. */
function isPlainKey({ account }: SendingWallet): boolean {
  return account.type === 'local' && account.nonceManager === undefined
}

function asChain({ chainId, name }: SendingWallet['source']): Chain {
  const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
  return { id: chainId, name, nativeCurrency, rpcUrls: { default: { http: [] } } }
}

/**
 * A payment may be mined all the same if its transaction was sent, or if its node stopped answering or already knows it.
 * Other failures are returned unchanged.
 */
function refuseRepetition(error: unknown, sent: Hex | null, signed: Hex | null): unknown {
  if (sent === null && !mayHaveBeenSent(error)) return error
  const words =
    'the transaction may be mined: look for it, also in the wallet’s queue, before you send another'
  return new CairnError('RPC_UNREACHABLE', words, {
    cause: error,
    retryable: false,
    details: { txHash: sent ?? signed },
  })
}
