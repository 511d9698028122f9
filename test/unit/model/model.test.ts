import { describe, expect, test } from 'vitest'
import { LARGE_SCOPES, SCOPES, type ScopeName } from '../../model/explorationScopes.ts'
import { exploreStates } from '../../model/exploreStates.ts'
import { MUTANTS, RULES } from '../../model/mutants.ts'
import { createModel } from '../../model/protocolStateMachine.ts'
import { walk } from '../../model/randomWalk.ts'

/** The small ones: `npm run test:model` has the others, and more of each. */
const SMALL: readonly ScopeName[] = ['reorgs', 'wallets']

describe('the protocol over the program’s own decisions', () => {
  test.each(SMALL)('holds in every state of a small scope: %s', (name) => {
    const explored = exploreStates(createModel(SCOPES[name], RULES))
    expect(explored.broken).toBeNull()
    expect(explored.isWhole).toBe(true)
    expect(explored.states).toBeGreaterThan(5_000)
    for (const kind of ['anchor', 'deliver', 'settle', 'undelivered', 'refund', 'cancel'])
      expect(explored.taken.get(kind), kind).toBeGreaterThan(0)
  })

  test.each(LARGE_SCOPES)('holds on walks through $name', (scope) => {
    expect(walk(scope, RULES, { seed: 7, runs: 20, steps: 60 })).toBeNull()
  })
})

describe('breaking a rule breaks an invariant', () => {
  const quick = MUTANTS.filter(({ scope }) => SMALL.includes(scope))

  test.each(quick)('$name', ({ scope, rules }) => {
    expect(exploreStates(createModel(SCOPES[scope], rules)).broken).not.toBeNull()
  })
})
