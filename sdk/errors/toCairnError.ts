import { type BaseError, decodeErrorResult, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { CairnError } from './cairnError.ts'
import type { CairnErrorCode } from './errorCodes.ts'
import { findViemError, isViemError } from './findViemError.ts'

/** What the bridge's errors mean to a sender, and the field of the request; all others are `CONTRACT_REVERTED`. */
const MEANINGS: Partial<Record<string, readonly [CairnErrorCode, field?: string]>> = {
  TokenNotListed: ['UNSUPPORTED_ASSET', 'tokenIn'],
  DestinationNotListed: ['UNSUPPORTED_CHAIN', 'destChain'],
  AmountOutOfRange: ['AMOUNT_ABOVE_MAXIMUM', 'amountIn'],
  ExpectedAmountOutOfRange: ['MIN_OUTPUT_INVALID', 'minAmountOut'],
  InvalidRecipient: ['INVALID_RECIPIENT'],
}

/** How an intent ended, by the contract's phase. */
const ENDS: Partial<Record<number, { status: string; words: string }>> = {
  3: { status: 'completed', words: 'is completed: its winner has been paid' },
  4: { status: 'cancelled', words: 'was cancelled: its sender has the funds' },
  5: { status: 'refunded', words: 'was refunded: its sender has the funds' },
}

/**
 * Converts a chain's failure to a CairnError: an RPC that doesn't answer, or a revert, with the contract's own error
 * (`details.errorName`, `details.args`). Returns other errors unchanged, such as a user's refusal in the wallet.
 */
export function toCairnError(error: unknown): unknown {
  if (error instanceof CairnError || !isViemError(error)) return error
  if (findViemError(error, ['ChainMismatchError']) !== null) {
    const words = 'the wallet changed its chain before it sent anything: switch it back'
    return new CairnError('WRONG_CHAIN', words, { cause: error })
  }
  if (findViemError(error, ['WaitForTransactionReceiptTimeoutError']) !== null)
    return transactionPending({ cause: error })
  const data = findRevertData(error)
  if (data !== null) return toRevertError(data, error)
  const outage = findViemError(error, OUTAGES)
  if (outage !== null) {
    const words = `the chain’s RPC${describeHost(outage)} did not answer: check its URL, or retry`
    return new CairnError('RPC_UNREACHABLE', words, { cause: error })
  }
  return error
}

/** The error for a transaction that may still be mined. */
export function transactionPending(
  options: ConstructorParameters<typeof CairnError>[2],
): CairnError {
  const words =
    'the transaction may still be mined: wait until the wallet shows nothing pending, then retry'
  return new CairnError('TRANSACTION_PENDING', words, options)
}

/** The RPC's host alone: the rest of its URL often contains a key. */
function describeHost(outage: Error): string {
  const { url } = outage as { url?: unknown }
  return typeof url === 'string' && URL.canParse(url) ? ` at ${new URL(url).host}` : ''
}

/** Runs a function, and throws a chain's failure as a CairnError. */
export async function withChainErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  return run().catch((error: unknown) => {
    throw toCairnError(error)
  })
}

/**
 * Reads a contract that must be a chain's bridge.
 *
 * @throws CairnError `BRIDGE_NOT_FOUND` when what is at the address answers as no bridge does
 */
export async function readBridge<Result>(
  { name, bridge }: { name: string; bridge: string },
  read: () => Promise<Result>,
): Promise<Result> {
  return read().catch((cause: unknown) => {
    const error = toCairnError(cause)
    // A bridge's views never revert.
    const isRevert = error instanceof CairnError && error.code === 'CONTRACT_REVERTED'
    if (!isRevert && !isUndecodable(cause)) throw error
    const words = `there is no Cairn bridge at ${bridge} on ${name}: check chains[].bridge`
    const details = { field: 'chains', chain: name, bridge }
    throw new CairnError('BRIDGE_NOT_FOUND', words, { cause, details })
  })
}

/** No answer, as from an address without a contract, or that of a function with another result. */
export function isUndecodable(error: unknown): boolean {
  return findViemError(error, UNDECODABLE) !== null
}

const UNDECODABLE = [
  'ContractFunctionZeroDataError',
  'AbiDecodingDataSizeTooSmallError',
  'AbiDecodingZeroDataError',
  'InvalidBytesBooleanError',
  'IntegerOutOfRangeError',
]

const OUTAGES = ['HttpRequestError', 'TimeoutError', 'WebSocketRequestError', 'SocketClosedError']

/** Whether a node answered and refused the request: later ones may succeed after 429 and 5xx. */
export function isRefusedByNode(error: unknown): boolean {
  const outage = findViemError(error, OUTAGES) as { status?: number } | null
  return !outage || /^4[01]/.test(`${outage.status}`)
}

/** What nodes say of a transaction they have, as when the first request's answer was lost and viem repeated it. */
const IS_KNOWN = /already.?(known|exists|imported)|known.?transaction|nonce too low/i

/**
 * Whether a transaction may have been sent although sending it failed: the request's answer was lost, or the node says that
 * it has it.
 */
export function mayHaveBeenSent(error: unknown): boolean {
  if (!isViemError(error)) return false
  const outage = findViemError(error, OUTAGES)
  // viem's messages contain the request: one that prepares a transaction sends nothing.
  const method = /"method":"(\w+)"/.exec(outage?.message ?? '')?.[1]
  if (outage !== null && (method === undefined || /send/i.test(method))) return true
  return error.walk((cause) => IS_KNOWN.test((cause as Error).message)) !== null
}

/** Whether the wallet's owner rejected a transaction, which was therefore not sent. */
export function isRejectedByUser(error: unknown): boolean {
  return findViemError(error, ['UserRejectedRequestError']) !== null
}

/** A call's revert data, wherever the node or viem puts it; null if it didn't revert. */
function findRevertData(error: BaseError): Hex | null {
  let data: Hex | null = null
  error.walk((cause) => {
    const found = (cause as { data?: unknown }).data ?? (cause as { raw?: unknown }).raw
    const hex = typeof found === 'object' ? (found as { data?: unknown } | null)?.data : found
    if (typeof hex === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(hex)) data = hex as Hex
    return false
  })
  if (data !== null) return data
  const refusal = findViemError(error, ['RpcRequestError']) as BaseError | null
  return /revert/i.test(refusal?.details ?? '') ? '0x' : null
}

function toRevertError(data: Hex, cause: BaseError): CairnError {
  const decoded = decodeRevert(data)
  if (decoded === null) {
    const words = 'a contract reverted the call without a known reason'
    return new CairnError('CONTRACT_REVERTED', words, { cause, details: { data } })
  }
  const { errorName, args } = decoded
  const [first, second] = args
  const end = errorName === 'WrongPhase' ? ENDS[Number(second)] : undefined
  const [meaning, field] = MEANINGS[errorName] ?? [end ? 'INTENT_ENDED' : 'CONTRACT_REVERTED']
  const isBelow = meaning === 'AMOUNT_ABOVE_MAXIMUM' && (first as bigint) < (second as bigint)
  const code = isBelow ? 'AMOUNT_BELOW_MINIMUM' : meaning
  const words = end
    ? `intent ${first} ${end.words}`
    : (describeRevert(errorName, args) ??
      `the contract reverted the call: ${errorName}(${args.join(', ')})`)
  const details = {
    errorName,
    args,
    data,
    ...(field && { field }),
    ...(end && { status: end.status }),
  }
  // It succeeds once the time has come.
  const retryable = errorName === 'NotRefundableYet'
  return new CairnError(code, words, { cause, details, retryable })
}

/** The last unix second that a Date can show. */
const LAST_DATE = 8_640_000_000_000

/** Tells a sender what to do about a revert, in place of the contract's own words; null for other reverts. */
function describeRevert(errorName: string, args: readonly unknown[]): string | null {
  const [intentId, value] = args
  if (errorName === 'NotSender')
    return `only the intent’s sender may do this: use the wallet of ${value}`
  if (errorName !== 'NotRefundableYet' || Number(value) > LAST_DATE) return null
  const time = new Date(Number(value) * 1_000).toISOString()
  return `intent ${intentId} can’t be refunded before ${time}: if nobody has delivered by then, call refund() again`
}

function decodeRevert(data: Hex): { errorName: string; args: readonly unknown[] } | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: bridgeIntentV2Abi, data })
    return { errorName, args: args as readonly unknown[] }
  } catch {
    return null
  }
}
