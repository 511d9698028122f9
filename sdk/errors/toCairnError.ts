import {
  BaseError,
  decodeErrorResult,
  type Hex,
  HttpRequestError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  WebSocketRequestError,
} from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { CairnError } from './cairnError.ts'
import type { CairnErrorCode } from './errorCodes.ts'

/** What the bridge's errors mean to a sender; all others are `CONTRACT_REVERTED`. */
const MEANINGS: Partial<Record<string, (args: readonly unknown[]) => CairnErrorCode>> = {
  TokenNotListed: () => 'UNSUPPORTED_ASSET',
  DestinationNotListed: () => 'UNSUPPORTED_CHAIN',
  AmountOutOfRange: ([escrow, minimum]) =>
    (escrow as bigint) < (minimum as bigint) ? 'AMOUNT_BELOW_MINIMUM' : 'AMOUNT_ABOVE_MAXIMUM',
  ExpectedAmountOutOfRange: () => 'MIN_OUTPUT_INVALID',
  InvalidRecipient: () => 'INVALID_RECIPIENT',
}

/**
 * Converts a chain's failure to a CairnError: an RPC that doesn't answer, or a revert, with the contract's own error
 * (`details.errorName`, `details.args`). Returns other errors unchanged, such as a user's refusal in the wallet.
 */
export function toCairnError(error: unknown): unknown {
  if (error instanceof CairnError || !(error instanceof BaseError)) return error
  const data = findRevertData(error)
  if (data !== null) return toRevertError(data, error)
  if (isUnreachable(error)) {
    return new CairnError('RPC_UNREACHABLE', 'the chain’s RPC did not answer', { cause: error })
  }
  return error
}

/** Runs a function, and throws a chain's failure as a CairnError. */
export async function withChainErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  return run().catch((error: unknown) => {
    throw toCairnError(error)
  })
}

function isUnreachable(error: BaseError): boolean {
  return Boolean(
    error.walk(
      (cause) =>
        cause instanceof HttpRequestError ||
        cause instanceof TimeoutError ||
        cause instanceof WebSocketRequestError ||
        cause instanceof SocketClosedError,
    ),
  )
}

/** A call's revert data, wherever the node or viem puts it; null if it didn't revert. */
function findRevertData(error: BaseError): Hex | null {
  let data: Hex | null = null
  error.walk((cause) => {
    const found = (cause as { data?: unknown }).data ?? (cause as { raw?: unknown }).raw
    const hex = typeof found === 'object' ? (found as { data?: unknown } | null)?.data : found
    if (typeof hex === 'string' && /^0x([0-9a-f]{2})*$/i.test(hex)) data = hex as Hex
    return false
  })
  if (data !== null) return data
  const isRevert = error.walk(
    (cause) => cause instanceof RpcRequestError && /revert/i.test(cause.details ?? ''),
  )
  return isRevert ? '0x' : null
}

function toRevertError(data: Hex, cause: BaseError): CairnError {
  const decoded = decodeRevert(data)
  if (decoded === null) {
    const words = 'a contract reverted the call without a known reason'
    return new CairnError('CONTRACT_REVERTED', words, { cause, details: { data } })
  }
  const { errorName, args } = decoded
  const code = MEANINGS[errorName]?.(args) ?? 'CONTRACT_REVERTED'
  const words = `the contract reverted the call: ${errorName}(${args.join(', ')})`
  return new CairnError(code, words, { cause, details: { errorName, args, data } })
}

function decodeRevert(data: Hex): { errorName: string; args: readonly unknown[] } | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: bridgeIntentV2Abi, data })
    return { errorName, args: args as readonly unknown[] }
  } catch {
    return null
  }
}
