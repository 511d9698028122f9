/** Maximum number of accounts that may read an intent's private details. */
export const MAX_VIEWERS = 50

/** Maximum total size of a bundle's metadata, keys and values, in bytes of UTF-8. */
export const MAX_METADATA_BYTES = 4096
