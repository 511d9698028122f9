#!/usr/bin/env node
import {
  explain,
  onDatabase,
  parseWholeNumber,
  readCommandLine,
  ToolError,
} from '../commandLine.ts'
import { seedDatabase } from './seedDatabase.ts'

const USAGE = `Fills a database with a generated history of two chains, to test at scale.

  npm run seed -- [options]

  --intents <n>     intents on both chains together (default 100000)
  --database <url>  the database (default DATABASE_URL)
  --seed <n>        the same seed generates the same history (default 1)
  --until <time>    end of the history in unix seconds (default: now)
  --help            print this`

try {
  await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${explain('seed', error)}\n`)
  process.exitCode = 2
}

async function run(args: string[]): Promise<void> {
  const { values } = readCommandLine({
    args,
    options: {
      intents: { type: 'string', default: '100000' },
      database: { type: 'string', default: process.env.DATABASE_URL },
      seed: { type: 'string', default: '1' },
      until: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const intents = Math.max(2, parseWholeNumber('--intents', values.intents))
  const seed = parseWholeNumber('--seed', values.seed)
  const until =
    values.until === undefined
      ? Math.floor(Date.now() / 1_000)
      : parseWholeNumber('--until', values.until)
  const { database: databaseUrl } = values
  if (!databaseUrl) throw new ToolError('name a database with --database, or set DATABASE_URL')
  const startedAt = performance.now()
  const say = (step: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    console.log(`${`${seconds} s`.padStart(8)}  ${step}`)
  }
  const seeding = seedDatabase({ databaseUrl, intents, seed, until, onStep: say })
  await onDatabase('--database', databaseUrl, seeding)
  say(`done: ${intents} intents`)
}
