import v8 from 'node:v8'
import { readConfiguration } from '../config/readConfiguration.ts'
import { startIndexer } from '../indexer/startIndexer.ts'
import { createLog } from '../log/createLog.ts'
import { notifyParent, runRole } from './runRole.ts'

/**
 * How much more than what is in use the heap may grow until garbage is collected. By itself it grows fourfold: reading
 * a long history would take twice the memory. V8 reads it at each collection.
 */
const HEAP_GROWTH_PERCENT = 30

/** The indexer: one Ponder process a chain, looked after, by the environment's configuration. */
export function runIndexer(env: NodeJS.ProcessEnv): Promise<void> {
  v8.setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  return runRole(async () => {
    const { chains, databaseUrl, logLevel: level } = readConfiguration(env)
    // The devnet's screen shows a chain that was reset or can't be followed.
    const to = (text: string) => notifyParent({ type: 'notice', text })
    const log = createLog('indexer', { level, notify: { from: 'warn', to } })
    const indexer = await startIndexer({ chains, databaseUrl, log })
    log.info({ chains: chains.map(({ name }) => name) }, 'indexing')
    return { url: null, log, stop: () => indexer.stop() }
  })
}
