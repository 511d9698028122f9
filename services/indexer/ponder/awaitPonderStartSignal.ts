/** Set in a Ponder process that waits for its release. */
export const HELD = 'CAIRN_PONDER_IS_HELD'

/** A supervisor's message that releases Ponder. */
export type Release = {
  /** First block missing from the tables. */
  startBlock: number
  /** Whether the tables have all final blocks: then Ponder has no history to fetch. */
  isFolded: boolean
}

/**
 * In a Ponder process: resolves when the supervisor releases it, or at once with null if it isn't held.
 *
 * Ponder needs most of a second of processor time to load. Held, it does so while its tables are being filled, and
 * hasn't read anything from the chain or the database yet.
 */
export async function awaitPonderStartSignal(): Promise<Release | null> {
  if (!process.env[HELD]) return null
  // Waiting for the message keeps the process alive; afterwards listening must not (endWithParent.ts).
  process.channel?.ref()
  const release = await new Promise<Release>((resolve) => {
    process.once('message', (message) => resolve(message as Release))
  })
  process.channel?.unref()
  return release
}
