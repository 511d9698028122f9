/**
 * What an intent's sender signs to request a stealth address for one of its recipients: `X-Sender-Signature`. In strict
 * mode the relayer requires it, or a service's token.
 *
 * @param recipientAddress as sent, in the same letter case
 * @param chainId the chain of the delivery
 */
export function generateStealthMessage(
  recipientAddress: string,
  chainId: number,
  intentId: bigint,
): string {
  return `GENERATE_STEALTH:${recipientAddress}:${chainId}:${intentId}`
}
