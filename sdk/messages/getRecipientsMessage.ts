/**
 * What the winner signs to get the recipients in plaintext: `X-Solver-Signature`.
 *
 * @param timestamp unix seconds, also sent as `X-Timestamp`; valid for five minutes
 */
export function getRecipientsMessage(
  intentId: bigint,
  sourceChainId: number,
  timestamp: number,
): string {
  return `GET_RECIPIENTS:${intentId}:${sourceChainId}:${timestamp}`
}
