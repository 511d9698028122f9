#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { seedDatabase } from './seedDatabase.ts'

const USAGE = `Fills a database with a made-up history of two chains, for trying things out at size.

  npm run seed -- --intents 1000000 [--database postgres://…] [--seed 1] [--until 1790000000]

  --intents   how many, over both chains (default 100,000)
  --database  where; default DATABASE_URL
  --seed      another number, another history (default 1)
  --until     unix seconds at which the history ends (default: now)`

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
const begun = performance.now()
const elapsed = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`
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
