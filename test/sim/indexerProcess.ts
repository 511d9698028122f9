/** The indexer in a process of its own, so that it can be killed. Arguments: database URL, chains. */
import { startTestIndexer } from '../integration/indexer/indexerUnderTest.ts'

const [databaseUrl, chains] = process.argv.slice(2) as [string, string]
process.once('disconnect', () => process.exit(1))
const indexer = await startTestIndexer(databaseUrl, JSON.parse(chains))
indexer.onStatus((status) => process.send?.(status, () => {}))
for (const status of indexer.statuses()) process.send?.(status, () => {})
process.on('message', async () => {
  await indexer.stop()
  process.exit(0)
})
