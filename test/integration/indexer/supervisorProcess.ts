/** The indexer in a process of its own, so that a test can kill it. Arguments: database URL, chain. */
import { startTestIndexer } from './indexerUnderTest.ts'

const [databaseUrl, chain] = process.argv.slice(2) as [string, string]
const indexer = await startTestIndexer(databaseUrl, [JSON.parse(chain)])
indexer.onStatus((status) => process.send?.(status))
