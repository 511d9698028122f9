/**
 * What a wallet signs to get the key of one of its stealth addresses.
 *
 * @param recipientAddress as sent, in the same letter case, like `stealthAddress`
 */
export function deriveStealthKeyMessage(recipientAddress: string, stealthAddress: string): string {
  return `DERIVE_STEALTH_KEY:${recipientAddress}:${stealthAddress}`
}

/**
 * The second signature, which proves that the request is fresh: `X-Auth-Signature`. Required in strict mode.
 *
 * @param timestamp unix seconds, also sent as `X-Timestamp`; valid for five minutes
 */
export function deriveStealthKeyChallenge(
  recipientAddress: string,
  stealthAddress: string,
  timestamp: number,
): string {
  return `${deriveStealthKeyMessage(recipientAddress, stealthAddress)}:${timestamp}`
}
