/** Why nothing is anchored or appended. */
type RefusalCode =
  | 'KEY_MISSING'
  | 'RECIPIENTS_UNKNOWN'
  | 'RECIPIENTS_INVALID'
  | 'SIGNATURE_REQUIRED'
  | 'SIGNATURE_INVALID'
  | 'TOO_EARLY'
  | 'N_TOO_LOW'
  | 'CLASS_EXCEEDED'
  | 'FEE_TIER_FIXED'
  | 'NOTHING_TO_APPEND'
  | 'TOO_MANY_BLOBS'
  | 'WRONG_PHASE'

/** `field` is a position in the bundle, such as `amounts.2`, never a value. */
export type Refusal = { ok: false; code: RefusalCode; field?: string | undefined }

export function refuse(code: RefusalCode, field?: string): Refusal {
  return { ok: false, code, field }
}
