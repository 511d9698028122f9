/**
 * Folds in small pages and kills itself, as `kill -9` would, a moment after the third: within the transaction
 * of the fourth. Arguments: the chain as JSON, the database's URL, the schema.
 */
import { foldInto } from './foldInto.ts'

const [chain, databaseUrl, schema] = process.argv.slice(2) as [string, string, string]
let pages = 0
await foldInto(
  { chain: JSON.parse(chain), databaseUrl, schema },
  {
    pageSize: 200,
    cachedIntents: 300,
    onProgress: () => {
      pages += 1
      if (pages === 3) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2)
    },
  },
)
