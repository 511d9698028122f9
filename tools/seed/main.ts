#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { seedDatabase } from './seedDatabase.ts'

const USAGE = `Fills a database with a generated history of two chains, to test at scale.

  npm run seed -- [options]

  --intents <n>     intents on both chains together (default 100000)
  --database <url>  the database (default DATABASE_URL)
  --seed <n>        the same seed generates the same history (default 1)
  --until <time>    end of the history in unix seconds (default: now)
  --help            print this`

const { values } = parseArgs({
  options: {
    intents: { type: 'string', default: '100000' },
    database: { type: 'string' },
    seed: { type: 'string', default: '1' },
    until: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

const databaseUrl = values.database ?? process.env.DATABASE_URL
const numbers = [values.intents, values.seed, values.until ?? '0']
if (values.help || !databaseUrl || !numbers.every((text) => /^\d{1,10}$/.test(text))) {
  console.error(USAGE)
  process.exit(values.help ? 0 : 1)
}
const until = values.until ? Number(values.until) : Math.floor(Date.now() / 1_000)
const startedAt = performance.now()
const elapsed = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
try {
  await seedDatabase({
    databaseUrl,
    intents: Math.max(2, Number(values.intents)),
    seed: Number(values.seed),
    until,
    onStep: (step) => console.log(`${elapsed().padStart(8)}  ${step}`),
  })
  console.log(`${elapsed().padStart(8)}  done: ${values.intents} intents`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
