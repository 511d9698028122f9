import { expect, test } from 'vitest'
import { type FailedSeed, readFailedSeeds } from '../../sim/failedSeeds.ts'
import { simulate } from '../../sim/simulate.ts'

/** Short, and always the same. Any other: npm run test:sim -- --seed N */
const FIXED: FailedSeed = { seed: 20_260, rounds: 2 }

test.each([
  FIXED,
  ...readFailedSeeds(),
])('seed $seed: after each of $rounds rounds the index equals a replay', async ({
  seed,
  rounds,
}) => {
  const lines: string[] = []
  await simulate({ seed, rounds, log: (line) => lines.push(line) })
  expect(lines).toHaveLength(rounds)
}, 900_000)
