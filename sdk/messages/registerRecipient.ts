/**
 * What a wallet signs to get keys, and again to list its addresses. Registering the same wallet
 * again gives the same keys.
 *
 * @param recipientAddress as it is sent, in its own letter case
 */
export function registerRecipientMessage(recipientAddress: string): string {
  return `REGISTER_STEALTH:${recipientAddress}`
}
