/**
 * What a wallet signs to get the key of one of its stealth addresses.
 *
 * @param recipientAddress as it is sent, in its own letter case, and so is `stealthAddress`
 */
export function deriveStealthKeyMessage(recipientAddress: string, stealthAddress: string): string {
  return `DERIVE_STEALTH_KEY:${recipientAddress}:${stealthAddress}`
}

/**
 * The second signature, which shows that the request is fresh: `X-Auth-Signature`. A relayer in strict
 * mode requires it.
 *
 * @param timestamp unix seconds, also sent as `X-Timestamp`; good for five minutes
 */
export function deriveStealthKeyChallenge(
  recipientAddress: string,
  stealthAddress: string,
  timestamp: number,
): string {
  return `${deriveStealthKeyMessage(recipientAddress, stealthAddress)}:${timestamp}`
}
