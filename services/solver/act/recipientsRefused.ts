/** What was revealed to us isn't signed, or doesn't add up to our commitment. The message names no recipient. */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}
