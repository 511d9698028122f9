import { readOptions } from '../bench/readOptions.ts'
import { type FailedSeed, readFailedSeeds, recordFailedSeed } from './failedSeeds.ts'
import { runReorgCases } from './runReorgCases.ts'
import { simulate } from './simulate.ts'

const USAGE = `Seeded simulation of the indexer under faults; the oracle is a replay of the chains.

  npm run test:sim -- --seed 7 [--rounds 4]   one seed
  npm run test:sim -- --seeds 20 [--seed 1]   this many consecutive seeds
  npm run test:sim -- --failed                seeds that failed before
  npm run test:sim -- --reorgs                every reorganisation depth at every step of an intent

Prints the command that reproduces a failed seed and records it in test/sim/failedSeeds.json.`

const values = readOptions(USAGE, {
  seed: { type: 'string' },
  seeds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '4' },
  failed: { type: 'boolean', default: false },
  reorgs: { type: 'boolean', default: false },
})
const [first, count, rounds] = [
  values.seed ?? Math.floor(Math.random() * 1_000_000),
  values.seeds,
  values.rounds,
].map(Number) as [number, number, number]

if (![first, count, rounds].every(Number.isSafeInteger)) {
  console.error(USAGE)
  process.exit(2)
}
const log = (line: string) => console.log(line)
if (values.reorgs) await runReorgCases(log)
else {
  const range = Array.from({ length: count }, (_, at) => ({ seed: first + at, rounds }))
  const failed = await playSeeds(values.failed ? readFailedSeeds() : range)
  if (failed > 0) process.exit(1)
}
process.exit(0)

async function playSeeds(seeds: readonly FailedSeed[]): Promise<number> {
  let failed = 0
  for (const { seed, rounds } of seeds) {
    const began = Date.now()
    try {
      await simulate({ seed, rounds, log: (line) => log(`seed ${seed}, ${line}`) })
      log(`seed ${seed}: ${rounds} rounds sound, ${Math.round((Date.now() - began) / 1_000)} s`)
    } catch (error) {
      failed += 1
      log(`seed ${seed} FAILED: ${error instanceof Error ? error.message : error}`)
      log(`reproduce with: npm run test:sim -- --seed ${seed} --rounds ${rounds}`)
      recordFailedSeed({ seed, rounds })
    }
  }
  log(`${seeds.length} seeds, ${failed} failed`)
  return failed
}
