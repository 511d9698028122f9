/**
 * Folds in small pages and kills itself, as `kill -9` would, a moment after the third: within the transaction
 * of the fourth. Arguments: the chain as JSON, the database's URL, the schema, the last block.
 */
import { foldHistory } from '../../../services/indexer/fold/foldHistory.ts'
import { loadPonderInternals } from '../../../services/indexer/prefill/ponderInternals.ts'

const [chain, databaseUrl, schema, toBlock] = process.argv.slice(2) as [
  ...[string, string],
  ...[string, string],
]
let pages = 0
await foldHistory({
  ...{ chain: JSON.parse(chain), databaseUrl, schema, toBlock: Number(toBlock) },
  ...{ ponder: await loadPonderInternals(), pageSize: 200, intentsHeld: 300 },
  onProgress: () => {
    pages += 1
    if (pages === 3) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2)
  },
})
