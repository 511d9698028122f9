/** The indexer in a process of its own, so that it can be killed. Arguments: database URL, chains. */
import { startTestIndexer } from '../integration/indexer/indexerUnderTest.ts'

const [databaseUrl, chains] = process.argv.slice(2) as [string, string]
// A signal, as in endWithParent.ts: a logger without a reader would keep an exit waiting for ever.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const indexer = await startTestIndexer(databaseUrl, JSON.parse(chains))
indexer.onStatus((status) => process.send?.(status, () => {}))
for (const status of indexer.statuses()) process.send?.(status, () => {})
process.on('message', async () => {
  await indexer.stop()
  process.exit(0)
})
