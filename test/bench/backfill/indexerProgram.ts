/** Indexes a chain as the product does, telling its log, until it is ended. Arguments: the chain as JSON, the database's URL. */
import { pino } from 'pino'
import { startIndexer } from '../../../services/indexer/startIndexer.ts'

const [chain, databaseUrl] = process.argv.slice(2) as [string, string]
const log = pino({ level: 'debug' })
const indexer = await startIndexer({ chains: [JSON.parse(chain)], databaseUrl, log })
process.once('SIGTERM', async () => {
  await indexer.stop()
  process.exit()
})
