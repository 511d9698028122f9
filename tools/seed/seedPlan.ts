/** One of the two seeded chains. */
export type SeedChain = { chainId: number; name: string; schema: string }

/** What to generate. Times are unix seconds. */
export type SeedPlan = {
  chains: readonly [SeedChain, SeedChain]
  /** Total intents; half start on each chain. */
  intents: number
  /** The same seed generates the same history. */
  seed: number
  /** When the history ends: anything later hasn't happened yet. */
  until: number
  /** Omits the events of nine in ten intents, except the newest: events take most of the disk space. */
  mostWithoutEvents?: boolean
}

/** Windows of the bridges, in seconds. */
export const WINDOWS = {
  minAuction: 20,
  firm: 30,
  pickup: 60,
  execution: 3_600,
  grace: 3_600,
} as const

/** Seconds between two blocks; every time is a multiple of it after genesis. */
export const BLOCK_TIME = 2

/** Block of the bridges' deployment. */
export const FIRST_BLOCK = 1_000

/** Few enough to be busy, many enough for several pages. */
export const SOLVERS = 40
export const SENDERS = 20_000

/** Signatures that every seeded intent needs. */
export const QUORUM = 1

/** Each solver's first stake in each token: more than it can lose. */
export const STAKE = 10n ** 30n

/** A shorter history would end before its first intents do. */
const SHORTEST_SPAN = 3 * 86_400

/** Symbol, decimals, base units of one US cent, and its share of the traffic in percent. */
export const TOKENS = [
  { symbol: 'USDC', decimals: 6, perCent: 10_000n, share: 45 },
  { symbol: 'USDT', decimals: 6, perCent: 10_000n, share: 25 },
  { symbol: 'WETH', decimals: 18, perCent: 3_333_333_333_333n, share: 17 },
  { symbol: 'cBTC', decimals: 8, perCent: 10n, share: 10 },
  { symbol: 'ZEN', decimals: 18, perCent: 1_000_000_000_000_000n, share: 3 },
] as const

/** Even seconds between two intents of one chain. */
export function intervalOf({ intents }: SeedPlan): number {
  const each = Math.ceil(intents / 2)
  return Math.max(6, 2 * Math.ceil(SHORTEST_SPAN / each / 2))
}

/** When the bridges were deployed, an even number of seconds before the end. */
export function genesisOf(plan: SeedPlan): number {
  return plan.until - intervalOf(plan) * (Math.ceil(plan.intents / 2) + 1)
}

/** Intents that start on the first or the second chain. */
export function intentsOf({ intents }: SeedPlan, chain: 0 | 1): number {
  return chain === 0 ? Math.ceil(intents / 2) : Math.floor(intents / 2)
}

/** A chain's newest intents always have events: enough for every list's first page. */
const NEWEST_WITH_EVENTS = 20_000

/** Which rows of a chain's plan have events, in SQL. */
export function hasEventsSql(plan: SeedPlan, chain: 0 | 1): string {
  if (!plan.mostWithoutEvents) return 'true'
  return `(n % 10 = 0 or n > ${intentsOf(plan, chain) - NEWEST_WITH_EVENTS})`
}

/** Head of both chains at the end. */
export function headBlockOf(plan: SeedPlan): number {
  return FIRST_BLOCK + (plan.until - genesisOf(plan)) / BLOCK_TIME
}
