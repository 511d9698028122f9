import { listActions } from './actions.ts'
import { findBrokenInvariant } from './invariants.ts'
import type { Model } from './protocolStateMachine.ts'
import type { Action, State } from './stateMachineTypes.ts'

export type Explored = {
  states: number
  transitions: number
  /** Actions on the longest path, and whether the state space is exhausted. */
  depth: number
  isWhole: boolean
  broken: { why: string; path: Action[] } | null
  /** Number of transitions by kind of action. */
  taken: ReadonlyMap<string, number>
}

/**
 * Explores states breadth first, each once, until the state space is exhausted, a limit is reached or an invariant
 * breaks.
 */
export function exploreStates(model: Model, { depth = Infinity, most = Infinity } = {}): Explored {
  const start = model.start()
  const known = new Set([nameOf(start)])
  const from: { parent: number; action: Action | null }[] = [{ parent: -1, action: null }]
  let front: { state: State; at: number }[] = [{ state: start, at: 0 }]
  let transitions = 0
  const taken = new Map<string, number>()
  let reached = 0
  while (front.length > 0 && reached < depth && known.size < most) {
    const next: typeof front = []
    for (const { state, at } of front) {
      for (const action of listActions(model, state)) {
        transitions += 1
        taken.set(kindOf(action), (taken.get(kindOf(action)) ?? 0) + 1)
        const after = model.after(state, action)
        const name = nameOf(after)
        if (known.has(name)) continue
        known.add(name)
        const position = from.push({ parent: at, action }) - 1
        const why = findBrokenInvariant(model, after)
        if (why !== null) {
          const broken = { why, path: pathTo(from, position) }
          return {
            states: known.size,
            transitions,
            depth: reached + 1,
            isWhole: false,
            broken,
            taken,
          }
        }
        next.push({ state: after, at: position })
      }
    }
    front = next
    reached += 1
  }
  const isWhole = front.length === 0
  return { states: known.size, transitions, depth: reached, isWhole, broken: null, taken }
}

/** An action's kind, in a word. */
function kindOf(action: Action): string {
  switch (action.on) {
    case 'source':
      return action.call.do
    case 'destination':
      return 'deliver'
    case 'surroundings':
      return action.what
    default:
      return `${action.on} of the ${action.chain}`
  }
}

function nameOf(state: State): string {
  const { source, destination, messages, revealed, deep, around } = state
  const { isBobRegistered, isRootRotated, isAttesterPromoted, left } = around
  const flags = [isBobRegistered, isRootRotated, isAttesterPromoted].map(Number).join('')
  return [source, destination, messages, revealed, deep, flags, Object.values(left)].join('|')
}

function pathTo(from: { parent: number; action: Action | null }[], at: number): Action[] {
  const path: Action[] = []
  for (let position = at; position >= 0; position = from[position]!.parent) {
    const { action } = from[position]!
    if (action !== null) path.unshift(action)
  }
  return path
}
