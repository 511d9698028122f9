import { accepts } from './bridge.ts'
import { endTime, expectedOf, firmAt, refundableAt } from './bridgeChecks.ts'
import type { Call, Intent } from './bridgeState.ts'
import { KEY_ID, THIEF } from './catalogue.ts'
import { SOLVERS } from './deployment.ts'
import { findDeliveryKey, type Solve } from './destination.ts'
import type { Model } from './protocolStateMachine.ts'
import { listRogueNamings } from './rogueMessages.ts'
import type { Action, Budget, State } from './stateMachineTypes.ts'

type Candidate = { call: Call; spends?: keyof Budget }

/** Every action that is possible next and changes something. */
export function listActions(model: Model, state: State): Action[] {
  return [
    ...callsIn(model, state),
    ...deliveriesIn(model, state),
    ...clocksIn(model, state),
    ...reorgsIn(state),
    ...surroundingsIn(model, state),
  ]
}

/** Chooses an action by a number, favouring those that continue over those that end or undo something. */
export function chooseAction(actions: readonly Action[], pick: number): Action | undefined {
  const onward = actions.filter((action) => !isEnd(action))
  const among = pick % 8 === 0 || onward.length === 0 ? actions : onward
  return among[Math.floor(pick / 8) % among.length]
}

function isEnd(action: Action): boolean {
  if (action.on === 'source') return action.call.do === 'cancel' || action.call.do === 'refund'
  return action.on === 'reorg'
}

function callsIn(model: Model, state: State): Action[] {
  const head = model.headOf(state)
  return candidatesIn(model, state)
    .filter(({ call }) => accepts(model.bridge, head, call))
    .map((one) => ({ on: 'source', ...one }))
}

/** Calls a party might make, whether or not the bridge accepts them. */
export function candidatesIn(model: Model, state: State): Candidate[] {
  const { intent } = model.headOf(state)
  if (intent === null) {
    return model.scope.creations.map((creation) => ({ call: { do: 'create', creation } }))
  }
  return [
    ...signedNamings(model, state).map((call) => ({ call })),
    ...rogueCalls(model, state, intent),
    ...senderCalls(model, state, intent).map((call) => ({ call })),
    ...bids(model, state, intent),
    ...winnerCalls(model, intent).map((call) => ({ call })),
    ...quorumCalls(model, state).map((call) => ({ call })),
    ...revocations(model, state).map((call) => ({ call })),
  ]
}

/** Signed anchors and appends. Once recipients are firm, an append is an event that changes nothing. */
function signedNamings(model: Model, state: State): Call[] {
  const { intent, time } = model.headOf(state)
  const isFirm = intent !== null && time >= firmAt(model.bridge, intent)
  const hasEffect = !isFirm || !model.rules.bridge.freezesBlobs
  if (!hasEffect) return []
  const seen = new Set<string>()
  return state.messages.flatMap((id): Call[] => {
    const message = model.messageAt(id)
    if (message.kind !== 'anchor' && message.kind !== 'append') return []
    // It makes no difference which enclave signed.
    const { signer: _, ...content } = message
    const text = JSON.stringify(content)
    if (seen.has(text)) return []
    seen.add(text)
    return [{ do: message.kind, message } as Call]
  })
}

function rogueCalls(model: Model, state: State, intent: Intent) {
  const [signer] = model.scope.rogues
  if (signer === undefined || state.around.left.rogue === 0 || intent.phase !== 'open') return []
  const { time } = model.headOf(state)
  if (time >= firmAt(model.bridge, intent)) return []
  return listRogueNamings(model.catalogue, signer, intent).map((message) => ({
    call: { do: message.kind, message } as Call,
    spends: 'rogue' as const,
  }))
}

function senderCalls({ scope, catalogue }: Model, { around }: State, intent: Intent): Call[] {
  const keys = around.isRootRotated ? [KEY_ID.old, KEY_ID.new] : [KEY_ID.old]
  const named = scope.calls.flatMap(({ names, n }) =>
    keys.map((key) => catalogue.blob(key, catalogue.naming(intent.creation, names, { n }))),
  )
  return [...named.map((blob): Call => ({ do: 'name', blob })), { do: 'cancel' }, { do: 'refund' }]
}

function bids({ scope, bridge }: Model, { around }: State, intent: Intent) {
  if (around.left.bid === 0) return []
  const amountB = intent.solver === null ? expectedOf(bridge, intent) + 1 : intent.amountB + 1
  const bidders = scope.budget.bid > 1 ? SOLVERS : SOLVERS.slice(0, 1)
  return bidders
    .filter((by) => by !== intent.solver)
    .map((by) => ({ call: { do: 'bid', by, amountB } as Call, spends: 'bid' as const }))
}

function winnerCalls({ scope, catalogue }: Model, intent: Intent): Call[] {
  if (intent.solver === null) return []
  const { paramsHash } = catalogue.terms(intent.creation)
  const about = { paramsHash, blobsHash: catalogue.fold(intent.blobs), amountB: intent.amountB }
  const takers = scope.can.takeOver ? SOLVERS : [intent.solver]
  return [
    ...takers.map((by): Call => ({ do: 'deposit', by, ...about })),
    ...(scope.can.ask ? [{ do: 'ask', by: intent.solver } as Call] : []),
  ]
}

function quorumCalls(model: Model, state: State): Call[] {
  const reveals = model.scope.can.ask ? model.signedBy(state, 'reveal') : []
  return [
    ...reveals.map((one): Call => ({ do: 'reveal', ...one })),
    ...model.signedBy(state, 'settlement').map((one): Call => ({ do: 'settle', ...one })),
    ...model.signedBy(state, 'notDelivered').map((one): Call => ({ do: 'undelivered', ...one })),
  ]
}

function revocations({ scope }: Model, { around }: State): Call[] {
  return scope.can.revoke && around.isAttesterPromoted ? [{ do: 'revoke', key: 'first' }] : []
}

function deliveriesIn(model: Model, state: State): Action[] {
  const head = model.destinationHead(state)
  const { intent } = model.headOf(state)
  const revealed = state.revealed.map((id): Solve => {
    const { solver, paramsHash, revealed: list } = model.revealedAt(id)
    return { by: solver, paramsHash, revealed: list }
  })
  const made: { solve: Solve; spends?: keyof Budget }[] = revealed.map((solve) => ({ solve }))
  if (state.around.left.falseDelivery > 0 && intent?.phase === 'deposited') {
    const { paramsHash } = model.catalogue.terms(intent.creation)
    const list = { recipients: [THIEF], amounts: [intent.amountB] }
    const toOthers = { by: intent.solver!, paramsHash, revealed: list }
    const byOthers = revealed.map((one): Solve => ({ ...one, by: 'rival' }))
    for (const solve of [toOthers, ...byOthers]) made.push({ solve, spends: 'falseDelivery' })
  }
  return made
    .filter(({ solve }) => head.deliveries[findDeliveryKey(model.catalogue, solve)] === undefined)
    .map((one) => ({ on: 'destination', ...one }))
}

/** Advances a chain to the next time at which something becomes possible or impossible, or by one block. */
function clocksIn(model: Model, state: State): Action[] {
  const { time, intent } = model.headOf(state)
  const next = intent === null ? undefined : momentsOf(model, intent).find((one) => one > time)
  const { time: destinationTime } = model.destinationHead(state)
  const deadlines = state.source.flatMap((id) => model.sourceAt(id).intent?.fillDeadline || [])
  const deadline = Math.min(...deadlines.filter((one) => one > destinationTime))
  const deepens = (chain: readonly number[]) =>
    chain.length <= model.scope.confirmations || chain.some((block) => block !== chain.at(-1))
  return [
    ...(next === undefined ? [] : [{ on: 'clock', chain: 'source', to: next } as const]),
    ...(Number.isFinite(deadline)
      ? [{ on: 'clock', chain: 'destination', to: deadline } as const]
      : []),
    ...(intent?.phase === 'deposited' && deepens(state.source)
      ? [{ on: 'clock', chain: 'source', to: time } as const]
      : []),
    ...(intent?.phase === 'deposited' && deepens(state.destination)
      ? [{ on: 'clock', chain: 'destination', to: destinationTime } as const]
      : []),
  ]
}

function momentsOf({ bridge, scope, catalogue }: Model, intent: Intent): number[] {
  const { pickup, execution } = catalogue.deployment.windows
  if (intent.phase === 'deposited') {
    const start = intent.fillDeadline - execution
    const quarters = scope.can.ask ? [1, 2, 3].map((part) => start + (execution * part) / 4) : []
    return [...quarters, intent.fillDeadline, refundableAt(bridge, intent)]
  }
  if (intent.phase !== 'open') return []
  const end = endTime(bridge, intent)
  const waiting = scope.mode === 'compat' ? [intent.createdAt + 20] : []
  const second = scope.can.takeOver ? [end + pickup] : []
  return [...waiting, firmAt(bridge, intent), end, ...second, end + 2 * pickup]
}

function reorgsIn({ source, destination, around: { left } }: State): Action[] {
  const made: Action[] = []
  if (left.sourceReorg > 0 && source.length > 1) made.push({ on: 'reorg', chain: 'source' })
  if (left.destinationReorg > 0 && destination.length > 1)
    made.push({ on: 'reorg', chain: 'destination' })
  return made
}

function surroundingsIn({ scope: { can } }: Model, { around }: State): Action[] {
  const made: Action[] = []
  const add = (what: 'register' | 'rotate' | 'promote') => made.push({ on: 'surroundings', what })
  if (can.register && !around.isBobRegistered) add('register')
  if (can.rotate && !around.isRootRotated) add('rotate')
  if (can.rotate && !around.isAttesterPromoted) add('promote')
  return made
}
