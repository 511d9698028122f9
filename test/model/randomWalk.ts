import fc from 'fast-check'
import { chooseAction, listActions } from './actions.ts'
import { findBrokenInvariant } from './invariants.ts'
import { createModel, type Model } from './protocolStateMachine.ts'
import type { Action, Rules, Scope, State } from './stateMachineTypes.ts'

/** A walk's present state and the path to it. */
type Walk = { state: State; path: Action[] }

/** Takes one of the possible actions, whatever they are. */
class Step implements fc.Command<Walk, Model> {
  readonly #pick: number

  constructor(pick: number) {
    this.#pick = pick
  }

  check({ state }: Walk): boolean {
    return state.source.length > 0
  }

  run(walk: Walk, model: Model): void {
    const actions = listActions(model, walk.state)
    const action = chooseAction(actions, this.#pick)
    if (action === undefined) return
    walk.path.push(action)
    walk.state = model.after(walk.state, action)
    const why = findBrokenInvariant(model, walk.state)
    if (why !== null) throw new Error(why)
  }

  toString(): string {
    return String(this.#pick)
  }
}

/** Walks to take: `runs` of up to `steps` steps from a seed, or a failed one by its path. */
type Walks = { seed: number; runs: number; steps: number; path?: string | undefined }

/**
 * Walks a scope at random and checks every state on the way. Shrinks a walk that breaks an invariant as long as it still
 * does.
 *
 * @returns null, or the failure and the path that reproduces it
 */
export function walk(
  scope: Scope,
  rules: Rules,
  { seed, runs, steps, path }: Walks,
): { why: string; path: string } | null {
  const model = createModel(scope, rules)
  const picks = fc.commands([fc.nat({ max: 100_000 }).map((pick) => new Step(pick))], {
    maxCommands: steps,
    size: 'max',
  })
  const property = fc.property(picks, (commands) => {
    const setup = () => ({ model: { state: model.start(), path: [] }, real: model })
    fc.modelRun(setup, commands)
  })
  const details = fc.check(property, { seed, numRuns: runs, ...(path && { path }) })
  if (!details.failed) return null
  const why = details.errorInstance instanceof Error ? details.errorInstance.message : 'unknown'
  return { why, path: details.counterexamplePath ?? '' }
}
