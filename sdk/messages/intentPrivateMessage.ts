/**
 * What the sender or a viewer signs to read an intent's private details: `X-Reader-Signature`.
 *
 * @param timestamp unix seconds, also sent as `X-Timestamp`; valid for five minutes
 */
export function intentPrivateMessage(
  intentId: bigint,
  sourceChainId: number,
  timestamp: number,
): string {
  return `INTENT_PRIVATE:${intentId}:${sourceChainId}:${timestamp}`
}
