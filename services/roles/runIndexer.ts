import { readConfiguration } from '../config/readConfiguration.ts'
import { startIndexer } from '../indexer/startIndexer.ts'
import { createLog } from '../log/createLog.ts'
import { notifyParent, runRole } from './runRole.ts'

/** The indexer: one Ponder process a chain, looked after, by the environment's configuration. */
export function runIndexer(env: NodeJS.ProcessEnv): Promise<void> {
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
