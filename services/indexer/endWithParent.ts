/**
 * Preloaded into every Ponder process: ends it when the supervisor is gone, even after `kill -9`.
 * The channel between the two closes with the supervisor; what Ponder was writing is rolled back,
 * and the next start goes on from the last committed block.
 */
process.once('disconnect', () => process.exit(1))
// Listening must not keep the process alive by itself.
process.channel?.unref()
if (!process.connected) process.exit(1)
