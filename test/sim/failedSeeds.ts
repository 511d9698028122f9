import { readFileSync, writeFileSync } from 'node:fs'

/** A simulation that failed once, failed as a regression test. */
export type FailedSeed = { seed: number; rounds: number }

const FILE = new URL('./failedSeeds.json', import.meta.url)

export function readFailedSeeds(): FailedSeed[] {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/** Adds a seed unless it is already listed with as many rounds. */
export function recordFailedSeed(failed: FailedSeed): void {
  const seeds = readFailedSeeds()
  if (seeds.some(({ seed, rounds }) => seed === failed.seed && rounds === failed.rounds)) return
  const lines = [...seeds, failed].map(
    ({ seed, rounds }) => `  { "seed": ${seed}, "rounds": ${rounds} }`,
  )
  writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`)
}
