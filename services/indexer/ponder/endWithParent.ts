/**
 * Preloaded into every Ponder process: ends it when the supervisor is gone, even after `kill -9`.
 * The channel between the two closes with the supervisor; what Ponder was writing is rolled back,
 * and the next start goes on from the last committed block.
 *
 * By a signal, not by `process.exit`: its logger writes what it still holds at an exit, and where
 * the reader of its output is gone it would try that for ever.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Listening must not keep the process alive by itself.
process.channel?.unref()
if (!process.connected) process.exit(1)
