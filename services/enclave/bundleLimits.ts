/** Recipients of one bundle at most: what `solveIntent` takes. */
export const MAX_RECIPIENTS = 200

/** Accounts that may read an intent's private details, at most. */
export const MAX_VIEWERS = 50

/** Bytes of UTF-8 of all keys and values of a bundle's metadata together, at most. */
export const MAX_METADATA_BYTES = 4096
