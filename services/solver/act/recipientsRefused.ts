/**
 * The revealed recipients aren't signed, or their amounts don't add up to our commitment. The message names no
 * recipient.
 */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}
