import { readFileSync, writeFileSync } from 'node:fs'

/** A simulation that once failed, kept so that it never does again. */
export type KeptSeed = { seed: number; rounds: number }

const FILE = new URL('./keptSeeds.json', import.meta.url)

export function keptSeeds(): KeptSeed[] {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

/** Adds a seed, unless it is there with as many rounds. */
export function keepSeed(kept: KeptSeed): void {
  const seeds = keptSeeds()
  if (seeds.some(({ seed, rounds }) => seed === kept.seed && rounds === kept.rounds)) return
  const lines = [...seeds, kept].map(
    ({ seed, rounds }) => `  { "seed": ${seed}, "rounds": ${rounds} }`,
  )
  writeFileSync(FILE, `[\n${lines.join(',\n')}\n]\n`)
}
