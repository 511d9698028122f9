/** The SDK's codes, the specification's first, and whether the same request may succeed later. */
const RETRYABLE = {
  INTENT_DEADLINE_PAST: false,
  UNSUPPORTED_CHAIN: false,
  UNSUPPORTED_ASSET: false,
  AMOUNT_BELOW_MINIMUM: false,
  AMOUNT_ABOVE_MAXIMUM: false,
  INVALID_RECIPIENT: false,
  MIN_OUTPUT_INVALID: false,
  METADATA_TOO_LARGE: false,
  NO_SOLVER_AVAILABLE: false,
  MIN_OUTPUT_UNATTAINABLE: false,
  RATE_LIMITED: true,
  WEBHOOK_SIGNATURE_INVALID: false,
  RPC_UNREACHABLE: true,
  TACHYON_API_UNREACHABLE: true,
  REQUEST_TIMEOUT: true,
  SETTLEMENT_REVERTED: false,
  EXECUTION_TIMEOUT: false,
  INTENT_EXPIRED: false,
  VIEWING_KEY_MISSING: false,
  SAFE_NOT_DEPLOYED: false,
  RELAY_PROXY_REVERTED: false,
  // In addition to the specification's: a contract reverted for a reason none of them covers.
  CONTRACT_REVERTED: false,
  /** The address configured as a chain's bridge isn't one. */
  BRIDGE_NOT_FOUND: false,
  /** The intent was already refunded, cancelled or completed: nothing is left to refund or cancel. */
  INTENT_ENDED: false,
  /** An invalid argument, by the SDK's check or the relayer's: see `details.field` or `details.problems`. */
  INVALID_REQUEST: false,
  /** A service's answer is invalid, or contradicts the chain. */
  ANSWER_INVALID: false,
  /** The relayer refused an event stream. */
  EVENTS_REFUSED: false,
  /** The registry knows no active enclave with the service's key. */
  NOT_AN_ENCLAVE: false,
  /** A proof's block isn't your node's. */
  NOT_CANONICAL: false,
  /** The wallet is on another chain. */
  WRONG_CHAIN: false,
  /** The node's gas price exceeds the chain's `maxFeeGwei`. */
  GAS_TOO_DEAR: true,
  /** A batch's payment may still be mined. */
  TRANSACTION_PENDING: true,
  /** A batch's saved state is unreadable, or another batch's. */
  BATCH_STATE_INVALID: false,
} as const

/** The specification's 21 codes and the SDK's own. A RelayerError can have other codes, the relayer's. */
export type CairnErrorCode = keyof typeof RETRYABLE

/** All of them. */
export const CAIRN_ERROR_CODES = Object.keys(RETRYABLE) as CairnErrorCode[]

/**
 * Whether a code means that the same request may succeed later. False for codes the SDK doesn't know.
 */
export function isRetryableCode(code: string): boolean {
  return RETRYABLE[code as CairnErrorCode] === true
}
