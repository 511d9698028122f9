import { describe, expect, test } from 'vitest'
import { explore } from '../../model/explore.ts'
import { createModel } from '../../model/model.ts'
import { MUTANTS, RULES } from '../../model/mutants.ts'
import { walk } from '../../model/walk.ts'
import { WILD, WORLDS, type WorldName } from '../../model/worlds.ts'

/** The small ones: `npm run test:model` has the others, and more of each. */
const SMALL: readonly WorldName[] = ['reorgs', 'wallets']

describe('the protocol over the program’s own decisions', () => {
  test.each(SMALL)('holds in every state of a small world: %s', (name) => {
    const explored = explore(createModel(WORLDS[name], RULES))
    expect(explored.broken).toBeNull()
    expect(explored.isWhole).toBe(true)
    expect(explored.states).toBeGreaterThan(5_000)
    for (const kind of ['anchor', 'deliver', 'settle', 'undelivered', 'refund', 'cancel'])
      expect(explored.taken.get(kind), kind).toBeGreaterThan(0)
  })

  test.each(WILD)('holds on walks through $name', (world) => {
    expect(walk(world, RULES, { seed: 7, runs: 20, steps: 60 })).toBeNull()
  })
})

describe('a broken rule is noticed', () => {
  const quick = MUTANTS.filter(({ world }) => SMALL.includes(world))

  test.each(quick)('$name', ({ world, rules }) => {
    expect(explore(createModel(WORLDS[world], rules)).broken).not.toBeNull()
  })
})
