/** A provider's highest block, and since when it is that: milliseconds of the process. */
export type SeenHead = { head: number; since: number }

/** Milliseconds without a new block after which a provider stands still, if another has had one. */
const PATIENCE_MS = 60_000

/**
 * Providers that have had no new block for long while another has. What they say was true once, so it doesn't count. One
 * that falsely claims new blocks puts no other out of the count: on the same chain that one has them too.
 */
export function stalledProviders<Provider>(
  heads: ReadonlyMap<Provider, SeenHead>,
  now: number,
): Set<Provider> {
  const isStill = ({ since }: SeenHead) => now - since > PATIENCE_MS
  const still = [...heads].filter(([, seen]) => isStill(seen)).map(([provider]) => provider)
  // A chain without blocks stands still as a whole.
  return new Set(still.length < heads.size ? still : [])
}
