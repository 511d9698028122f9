/** What we were told isn't signed, or doesn't add up to what we committed to. Says nothing of whom it named. */
export class RecipientsRefused extends Error {
  override readonly name = 'RecipientsRefused'
  readonly code = 'RECIPIENTS_WRONG'
}
