/** A program that only prefills, for a test to kill. Arguments: the chain as JSON, the database's URL. */
import { prefill } from '../../../services/indexer/prefill/prefill.ts'

const [chain, databaseUrl] = process.argv.slice(2) as [string, string]

const result = await prefill({
  chain: JSON.parse(chain),
  databaseUrl,
  onProgress: ({ doneBlocks }) => process.stdout.write(`committed ${doneBlocks}\n`),
})
process.stdout.write(`${result.status}\n`)
