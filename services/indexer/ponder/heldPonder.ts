/** Variable that is set in a Ponder which is to wait until it is released. */
export const HELD = 'CAIRN_PONDER_IS_HELD'

/**
 * In a Ponder's process: resolves when the supervisor releases it; at once where it isn't held.
 *
 * Ponder needs most of a second of a processor until it has loaded itself. A held one spends it while its tables
 * are being filled, and has then asked nothing of the chain or of the database.
 */
export async function released(): Promise<void> {
  if (!process.env[HELD]) return
  // Waiting for its word keeps the process alive; afterwards listening must not (endWithParent.ts).
  process.channel?.ref()
  await new Promise((resolve) => process.once('message', resolve))
  process.channel?.unref()
}
