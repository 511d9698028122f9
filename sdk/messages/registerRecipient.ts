/**
 * What a wallet signs to be given keys, and again to list its addresses. Registering once more, with
 * the same wallet, gives the same keys.
 *
 * @param recipientAddress as it is sent, in its own letter case
 */
export function registerRecipientMessage(recipientAddress: string): string {
  return `REGISTER_STEALTH:${recipientAddress}`
}
