/** Runs the indexer in its own process, so that it can be killed. Arguments: database URL, chains. */
import { startTestIndexer } from '../integration/indexer/indexerUnderTest.ts'

const [databaseUrl, chains] = process.argv.slice(2) as [string, string]
// Exit by signal, as in endWithParent.ts: a logger without a reader would block a normal exit forever.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const indexer = await startTestIndexer(databaseUrl, JSON.parse(chains))
indexer.onStatus((status) => process.send?.(status, () => {}))
for (const status of indexer.statuses()) process.send?.(status, () => {})
process.on('message', async () => {
  await indexer.stop()
  process.exit(0)
})
