/** Prefills and waits to be measured and ended. Arguments: the chain as JSON, the database's URL. */
import { prefill } from '../../../services/indexer/prefill/prefill.ts'

const [chain, databaseUrl] = process.argv.slice(2) as [string, string]
const result = await prefill({ chain: JSON.parse(chain), databaseUrl })
process.stdout.write(`${result.status}\n`)
setInterval(() => {}, 60_000)
