import v8 from 'node:v8'
import { readConfiguration } from '../config/readConfiguration.ts'
import { startIndexer } from '../indexer/startIndexer.ts'
import { createLog } from '../log/createLog.ts'
import { notifyParent, runRole } from './runRole.ts'

/**
 * Garbage is collected earlier than V8 would by itself: the heap doubles instead of growing fourfold until then, and the
 * space for new objects stays small, which on a large machine would take 100 MB. So the fold of a long history stays
 * below 400 MB, for a tenth more of a processor. V8 reads both at each collection.
 */
const EARLY_COLLECTION = ['--heap-growing-percent=120', '--semi-space-growth-factor=1']

/** The indexer: one Ponder process a chain, looked after, by the environment's configuration. */
export function runIndexer(env: NodeJS.ProcessEnv): Promise<void> {
  for (const flag of EARLY_COLLECTION) v8.setFlagsFromString(flag)
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
