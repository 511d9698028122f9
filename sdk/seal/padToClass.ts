import { MAX_RECIPIENTS, toRecipientClass } from '../../core/recoveryBlob/blobSize.ts'

/** Characters of the longest order or bundle without recipients and metadata, and of each recipient with its amount. */
const FIXED = 512
const PER_RECIPIENT = 80

/**
 * Appends spaces, which JSON allows, to what the largest JSON of its recipient class needs: anyone may see the length of
 * the ciphertext, which must not reveal how many recipients there are, or how large their amounts.
 */
export function padToClass(json: string, recipients: number): string {
  const most = Math.min(toRecipientClass(recipients), MAX_RECIPIENTS)
  return json.padEnd(FIXED + most * PER_RECIPIENT)
}
