/** Runs the indexer in a separate process that a test can kill. Arguments: database URL, chain. */
import { startTestIndexer } from './indexerUnderTest.ts'

const [databaseUrl, chain] = process.argv.slice(2) as [string, string]
const indexer = await startTestIndexer(databaseUrl, [JSON.parse(chain)])
indexer.onStatus((status) => process.send?.(status))
