import type { Hex } from 'viem'

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
 * @param sealTo an uncompressed public key (65 bytes), also sent as `X-Seal-To`: the enclave encrypts the stealth key to it, so
 *   that the relayer doesn't see the stealth key
 */
export function deriveStealthKeyChallenge(
  recipientAddress: string,
  stealthAddress: string,
  timestamp: number,
  sealTo?: Hex,
): string {
  const message = `${deriveStealthKeyMessage(recipientAddress, stealthAddress)}:${timestamp}`
  return sealTo === undefined ? message : `${message}:${sealTo.toLowerCase()}`
}
