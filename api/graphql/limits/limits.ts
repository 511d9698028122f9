/** Page size of a list: default and maximum. */
export const DEFAULT_PAGE = 50
export const LARGEST_PAGE = 1_000

/** The same for a list inside an object. */
export const DEFAULT_NESTED_PAGE = 20
export const LARGEST_NESTED_PAGE = 100

/** Limits of one request. Fields are counted after expanding fragments. */
export const LIMITS = {
  /** Fields inside fields, the innermost included. */
  depth: 8,
  tokens: 1_000,
  aliases: 30,
  fields: 2_000,
  /** The same for introspection, whose standard query needs 15. */
  introspectionDepth: 20,
  /** Entries in the worst case: a list counts its size times that of the list it is in. */
  entries: 50_000,
  /** Longest query text, in characters. */
  characters: 32_768,
  /** Longest request body, in bytes. */
  bodyBytes: 65_536,
  /** Milliseconds until a query is cancelled. */
  milliseconds: 10_000,
  /** A filter's branches in SQL: for intents, its `in` values and its statuses' branches multiplied. */
  filterBranches: 64,
  /** Filters in one `or`, and how deep `or` and `not` may nest. */
  filterAlternatives: 10,
  filterDepth: 3,
  /** Excluded branches: those of `not`, and those that keep alternatives disjoint. */
  filterExclusions: 256,
  /** Days over which senders can be counted. */
  senderDays: 92,
  /** Nesting of objects and lists in a variable. The deepest valid filter needs a dozen. */
  variableDepth: 20,
  /** Objects, lists and scalars in an operation's variables: as many as its text has tokens. */
  variableValues: 1_000,
  /** Values of one `in` list. */
  filterValues: 20,
} as const

export const SUBSCRIPTION_LIMITS = {
  /** Open subscriptions, of one client and of all. */
  perClient: 20,
  total: 1_000,
  /** Updates queued for a slow reader before it is dropped. */
  queue: 1_000,
} as const
