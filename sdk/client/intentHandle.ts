import { encodeFunctionData, type Hex, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument } from '../errors/invalidArgument.ts'
import { intentPrivateMessage } from '../messages/intentPrivateMessage.ts'
import type { PrivateDetails, RelayerIntent } from '../relayer/relayerResponses.ts'
import type { CairnChain, ClientContext } from './clientOptions.ts'
import { type BridgeEvent, requireEvent } from './requireEvent.ts'
import { requireWallet, requireWalletClient } from './requireWallet.ts'
import { sendTransaction } from './sendTransaction.ts'
import { type WaitOptions, waitForIntent } from './waitForIntent.ts'

export type IntentStatus = RelayerIntent['status']

/** An intent to follow. Its id alone recreates the handle: `client.intent(id)`. */
export type IntentHandle = {
  readonly id: bigint
  /** Null for a handle created from the id. */
  readonly createTxHash: Hex | null
  /** The relayer's word: `wait` checks it. */
  status(): Promise<IntentStatus>
  /**
   * Resolves once the intent has reached `until` (default `completed`), or was cancelled. If the source chain has a `publicClient`,
   * believes the relayer only once the chain shows the same status, parties and amounts. The rest is the relayer's word: whom the
   * winner paid, transactions, other times, and that a `settled` intent was delivered.
   *
   * @throws CairnError `INTENT_EXPIRED`, `EXECUTION_TIMEOUT`: pay the recipients again only once `refund` has succeeded, or has
   *   thrown `INTENT_ENDED` with `refunded` or `cancelled` as `details.status`; `ANSWER_INVALID` when the chain contradicts the
   *   relayer for two minutes
   */
  wait(options?: WaitOptions): Promise<RelayerIntent>
  /**
   * Refunds at once; for the sender, before a winner has deposited.
   *
   * @throws CairnError `INTENT_ENDED` when it was already cancelled, refunded or completed. `CONTRACT_REVERTED` also when the
   *   transaction was mined without cancelling it: replaced in the wallet, or failed inside a smart account
   */
  cancel(): Promise<TransactionReceipt>
  /**
   * Refunds the sender of an expired or failed intent; anyone may call it, and the relayer does. Also works on a chain
   * that produces a block only when there is a transaction, and whose latest block is therefore too old.
   *
   * @throws CairnError `INTENT_ENDED` when it has already ended: `details.status` is how, by the chain (`refunded`, `cancelled` or
   *   `completed`); `details.txHash` is the transaction that ended it, by the relayer, or null while the relayer doesn't know it.
   *   `CONTRACT_REVERTED` before it can be refunded: `retryable`, and its message says when
   */
  refund(): Promise<TransactionReceipt>
  /** The intent's public record. The relayer's word: the chain isn't asked. */
  record(): Promise<RelayerIntent>
  /**
   * Recipients, amounts and metadata, for the sender and its viewers, once the intent is settled. The relayer's word: the chain
   * isn't asked.
   *
   * @throws CairnError `VIEWING_KEY_MISSING` without a wallet to authenticate with
   */
  details(): Promise<PrivateDetails>
}

export function createIntentHandle(
  context: ClientContext,
  id: bigint,
  { createTxHash = null }: { createTxHash?: Hex | null } = {},
): IntentHandle {
  const { relayer } = context
  const record = () => relayer.intentDetails(id)
  const call = async (functionName: 'cancelIntent' | 'refund', options: { gas?: bigint } = {}) => {
    const source = findSource(context, id)
    const data = encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args: [id] })
    try {
      const wallet = requireWallet(context, source)
      const receipt = await sendTransaction(wallet, source.bridge, data, options)
      const isRefund = ({ eventName, args }: BridgeEvent) =>
        (eventName === 'IntentCancelled' || eventName === 'IntentRefunded') && args.intentId === id
      requireEvent(receipt, source, isRefund, 'refund')
      return receipt
    } catch (error) {
      const hasEnded = error instanceof CairnError && error.code === 'INTENT_ENDED'
      throw hasEnded ? await nameTransaction(error, record) : error
    }
  }
  return {
    id,
    createTxHash,
    record,
    status: async () => (await record()).status,
    wait: (options = {}) => waitForIntent(context, id, options),
    cancel: () => call('cancelIntent'),
    refund: () =>
      call('refund').catch((error: unknown) => {
        if (!isDueInNextBlock(error)) throw error
        return call('refund', { gas: REFUND_GAS })
      }),
    details: async () => {
      const walletClient = requireWalletClient(context)
      const timestamp = Math.floor(Date.now() / 1_000)
      const message = intentPrivateMessage(id, Number(id >> 64n), timestamp)
      const { account } = walletClient
      const signature = await walletClient.signMessage({ account, message })
      return relayer.privateDetails(id, { reader: account.address, signature, timestamp })
    },
  }
}

/** Ample: what isn't used costs nothing. */
const REFUND_GAS = 1_000_000n

/** How far ahead of the chain our clock may be, in seconds. */
const CLOCK_SKEW = 60

/** Whether a refund was refused only because the chain's latest block is older than the time at which it is due. */
function isDueInNextBlock(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.details.errorName !== 'NotRefundableYet') return false
  const [, refundableAt] = error.details.args as [bigint, bigint]
  return Number(refundableAt) + CLOCK_SKEW < Date.now() / 1_000
}

/** Adds the transaction that ended the intent, as the relayer knows it. */
async function nameTransaction(
  error: CairnError,
  record: () => Promise<RelayerIntent>,
): Promise<CairnError> {
  const { code, message, cause, details } = error
  const intent = await record().catch(() => null)
  const txHash = intent?.refund?.txHash ?? intent?.settleTxHash ?? null
  const words = txHash === null ? message : `${message} (transaction ${txHash})`
  return new CairnError(code, words, { cause, details: { ...details, txHash } })
}

/** The chain in an id's prefix. */
function findSource({ chains }: ClientContext, id: bigint): CairnChain {
  const chainId = Number(id >> 64n)
  const chain = chains.find((one) => one.chainId === chainId)
  if (chain !== undefined) return chain
  throw invalidArgument('chains', `an entry for chain ${chainId}, where intent ${id} is`)
}
