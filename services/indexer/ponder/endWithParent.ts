/**
 * Preloaded into every Ponder process: ends it when its supervisor is gone, even after `kill -9`. The channel between
 * them closes with the supervisor. What Ponder was writing is rolled back, and the next start resumes at the last
 * committed block.
 *
 * Uses a signal instead of `process.exit`, at which Ponder's logger flushes its buffer: with nobody reading its output,
 * it would try for ever.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Listening must not keep the process alive by itself.
process.channel?.unref()
if (!process.connected) process.exit(1)
