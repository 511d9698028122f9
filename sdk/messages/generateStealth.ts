/**
 * What an intent's sender signs to request a stealth address for one of its recipients:
 * `X-Sender-Signature`. A relayer in strict mode requires it, or a service's token.
 *
 * @param recipientAddress as it is sent, in its own letter case
 * @param chainId where the money arrives
 */
export function generateStealthMessage(
  recipientAddress: string,
  chainId: number,
  intentId: bigint,
): string {
  return `GENERATE_STEALTH:${recipientAddress}:${chainId}:${intentId}`
}
