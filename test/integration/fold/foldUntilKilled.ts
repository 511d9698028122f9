/** A program that only folds, for a test to kill. Arguments: the chain as JSON, the database's URL, the schema. */
import { foldInto } from './foldInto.ts'

const [chain, databaseUrl, schema] = process.argv.slice(2) as [string, string, string]

const target = { chain: JSON.parse(chain), databaseUrl, schema }
const result = await foldInto(target, {
  onProgress: ({ doneBlocks }) => process.stdout.write(`committed ${doneBlocks}\n`),
})
process.stdout.write(`${result.status}\n`)
