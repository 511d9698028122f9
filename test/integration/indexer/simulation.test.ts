import { expect, test } from 'vitest'
import { type KeptSeed, keptSeeds } from '../../sim/failedSeeds.ts'
import { simulate } from '../../sim/simulate.ts'

/** Short, and always the same. Any other: npm run test:sim -- --seed N */
const FIXED: KeptSeed = { seed: 20_260, rounds: 2 }

test.each([
  FIXED,
  ...keptSeeds(),
])('seed $seed: after each of $rounds rounds the index is a replay’s', async ({ seed, rounds }) => {
  const lines: string[] = []
  await simulate({ seed, rounds, tell: (line) => lines.push(line) })
  expect(lines).toHaveLength(rounds)
}, 900_000)
