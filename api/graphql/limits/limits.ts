/** Entries of a list when its query doesn't say, and at most. */
export const DEFAULT_PAGE = 50
export const LARGEST_PAGE = 1_000

/** The same for a list inside a list's entries. */
export const DEFAULT_NESTED_PAGE = 20
export const LARGEST_NESTED_PAGE = 100

/** What one request may ask for. Counts are of fields after fragments are spelled out. */
export const LIMITS = {
  /** Fields inside fields, the innermost included. */
  depth: 8,
  tokens: 1_000,
  aliases: 30,
  fields: 2_000,
  /** Fields inside fields of introspection, whose own query needs 15. */
  introspectionDepth: 20,
  /** Entries in the worst case: a list counts its size times that of the list it is in. */
  entries: 50_000,
  /** Longest query text, in characters. */
  characters: 32_768,
  /** Longest request body, in bytes. */
  bodyBytes: 65_536,
  /** Milliseconds until a query is cancelled. */
  milliseconds: 10_000,
  /** Alternatives of an intent filter: its `in` values and its statuses' branches multiplied. */
  filterBranches: 64,
  /** Filters of one `or`, and how deep `or` and `not` nest. */
  filterAlternatives: 10,
  filterDepth: 3,
  /** Conditions that keep alternatives apart, and those of `not`. */
  filterExclusions: 256,
  /** Days over which senders are counted. */
  senderDays: 92,
  /** Objects and lists inside each other in a variable; the deepest filter takes a dozen. */
  variableDepth: 20,
  /** Values of one `in`. */
  filterValues: 20,
} as const

/** What subscriptions may hold on to. */
export const SUBSCRIPTION_LIMITS = {
  /** At once, by client and over all clients. */
  perClient: 20,
  total: 1_000,
  /** Updates that wait for a slow reader before it is dropped. */
  queue: 1_000,
} as const
