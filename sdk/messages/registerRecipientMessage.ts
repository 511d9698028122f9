/**
 * What a wallet signs to get keys, and to list its addresses. Registering the same wallet again returns the same keys.
 *
 * @param recipientAddress as sent, in the same letter case
 */
export function registerRecipientMessage(recipientAddress: string): string {
  return `REGISTER_STEALTH:${recipientAddress}`
}
