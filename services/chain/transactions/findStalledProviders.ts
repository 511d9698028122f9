/** A provider's highest block, and when it was first seen, by `performance.now()`. */
export type SeenHead = { head: number; since: number }

/** Milliseconds without a new block after which a provider is stalled, if another has had one. */
const STALLED_AFTER_MS = 60_000

/**
 * Providers without a new block for a while, although another has one. Their answers are outdated. A provider that invents
 * blocks can't make honest ones look stalled, since those see the chain's real blocks.
 */
export function findStalledProviders<Provider>(
  heads: ReadonlyMap<Provider, SeenHead>,
  now: number,
): Set<Provider> {
  const stalled = [...heads].flatMap(([provider, { since }]) =>
    now - since > STALLED_AFTER_MS ? [provider] : [],
  )
  // If all are, the chain itself has no blocks.
  return new Set(stalled.length < heads.size ? stalled : [])
}
