/** Variable that is set in a Ponder which is to wait until it is released. */
export const HELD = 'CAIRN_PONDER_IS_HELD'

/** What a supervisor sends to a Ponder that it releases. */
export type Release = {
  /** First block of which the tables hold nothing yet. */
  startBlock: number
}

/**
 * In a Ponder's process: resolves when the supervisor releases it; at once, with null, where it isn't held.
 *
 * Ponder needs most of a second of a processor until it has loaded itself. A held one spends it while its tables
 * are being filled, and has then asked nothing of the chain or of the database.
 */
export async function released(): Promise<Release | null> {
  if (!process.env[HELD]) return null
  // Waiting for its word keeps the process alive; afterwards listening must not (endWithParent.ts).
  process.channel?.ref()
  const release = await new Promise<Release>((resolve) => {
    process.once('message', (message) => resolve(message as Release))
  })
  process.channel?.unref()
  return release
}
