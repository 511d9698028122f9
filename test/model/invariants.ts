import { accepts } from './bridge.ts'
import { refundableAt } from './bridgeChecks.ts'
import { Refused, type Source } from './bridgeState.ts'
import { CREATIONS } from './catalogue.ts'
import { findDeliveryKey, solve } from './destination.ts'
import { isNamedBySender } from './isNamedBySender.ts'
import type { Content } from './messages.ts'
import type { Model } from './protocolStateMachine.ts'
import type { State } from './stateMachineTypes.ts'

/** Properties of every state. The first four are the protocol's guarantees; the others support them. */
const INVARIANTS: Record<string, (model: Model, state: State) => string | null> = {
  'a winner that pays the revealed recipients is paid': settlesWhatWasRevealed,
  'only recipients the sender named are revealed': revealsNamedRecipients,
  'a winner can always deliver': canDeliver,
  'a sender can recover its funds without any service': getsMoneyBack,
  'an intent is never both refunded and delivered': neverBoth,
  'enclaves never attest both a delivery and its absence': neverContradict,
  'the anchored class and fee fit the revealed recipients': keepsClassAndFee,
}

/** Describes the first invariant a state breaks; null when it breaks none. */
export function findBrokenInvariant(model: Model, state: State): string | null {
  for (const [name, holds] of Object.entries(INVARIANTS)) {
    const why = holds(model, state)
    if (why !== null) return `${name}: ${why}`
  }
  return null
}

/** Reveals for which a delivery of exactly the revealed payments is final and in time. */
function paidAsRevealed(model: Model, state: State): Content<'reveal'>[] {
  const { deliveries } = model.finalDestination(state)
  return state.revealed
    .map((id) => model.revealedAt(id))
    .filter(({ solver, paramsHash, revealed, fillDeadline }) => {
      const delivered =
        deliveries[findDeliveryKey(model.catalogue, { by: solver, paramsHash, revealed })]
      return delivered !== undefined && delivered.solvedAt < fillDeadline
    })
}

function settlesWhatWasRevealed(model: Model, state: State): string | null {
  // Right after a reorg nothing is confirmed, and everything waits for the chain's next block.
  const { confirmations } = model.scope
  const isShown = [state.source, state.destination].every((chain) => chain.length > confirmations)
  const head = model.headOf(state)
  const { intent } = head
  for (const paid of paidAsRevealed(model, state)) {
    if (intent?.phase === 'settled' || intent?.refundedBy === 'refund') continue
    const isItsDeposit =
      intent?.phase === 'deposited' &&
      intent.solver === paid.solver &&
      intent.fillDeadline === paid.fillDeadline &&
      model.catalogue.fold(intent.blobs) === paid.blobsHash
    if (!isItsDeposit) return `the winner paid, and the intent is ${intent?.phase ?? 'gone'}`
    const settled = model
      .signedBy(state, 'settlement')
      .filter(({ content }) => content.sequence !== 99)
      .some((one) => accepts(model.bridge, head, { do: 'settle', ...one }))
    const wasDeep = state.deep.some((id) => {
      const { solver, fillDeadline } = model.deepAt(id)
      return solver === paid.solver && fillDeadline === paid.fillDeadline
    })
    if (isShown && wasDeep && !settled) return 'the winner paid, but no call can settle the intent'
  }
  return null
}

function revealsNamedRecipients(model: Model, state: State): string | null {
  for (const id of state.revealed) {
    const { revealed, paramsHash } = model.revealedAt(id)
    const names = Object.keys(CREATIONS) as (keyof typeof CREATIONS)[]
    const creation = names.find((one) => model.catalogue.terms(one).paramsHash === paramsHash)!
    if (!isNamedBySender(model, creation, revealed.recipients))
      return `enclaves revealed ${revealed.recipients}`
  }
  const { intent } = model.headOf(state)
  if (intent?.phase !== 'settled') return null
  const { paramsHash } = model.catalogue.terms(intent.creation)
  const isPaid = state.revealed.some((id) => {
    const one = model.revealedAt(id)
    const key = findDeliveryKey(model.catalogue, {
      by: one.solver,
      paramsHash,
      revealed: one.revealed,
    })
    return model.destinationHead(state).deliveries[key] !== undefined
  })
  return isPaid ? null : 'settled, but the revealed recipients are not paid'
}

function canDeliver(model: Model, state: State): string | null {
  for (const id of state.revealed) {
    const { solver, paramsHash, revealed } = model.revealedAt(id)
    try {
      solve(model.catalogue, { time: 0, deliveries: {} }, { by: solver, paramsHash, revealed })
    } catch (error) {
      if (error instanceof Refused) return `the revealed delivery reverts with ${error.message}`
      throw error
    }
  }
  return null
}

function getsMoneyBack(model: Model, state: State): string | null {
  const head = model.headOf(state)
  const { intent } = head
  if (intent === null || (intent.phase !== 'open' && intent.phase !== 'deposited')) return null
  const later: Source = { ...head, time: refundableAt(model.bridge, intent) }
  return accepts(model.bridge, later, { do: 'refund' }) ? null : 'nobody can refund it'
}

/** After the grace period both may happen: anyone with the enclaves' signatures could have settled before it ended. */
function neverBoth(model: Model, state: State): string | null {
  const { intent } = model.headOf(state)
  const isBack = intent?.phase === 'cancelled' || intent?.refundedBy === 'undelivered'
  if (!isBack) return null
  return paidAsRevealed(model, state).length > 0 ? 'refunded, and delivered' : null
}

function neverContradict(model: Model, state: State): string | null {
  const absent = new Set(
    model
      .signedBy(state, 'notDelivered')
      .map(({ content }) => `${content.solver} ${content.blobsHash} ${content.paramsHash}`),
  )
  const both = model
    .signedBy(state, 'settlement')
    .find(({ content }) =>
      absent.has(`${content.solver} ${content.blobsHash} ${content.paramsHash}`),
    )
  return both === undefined ? null : 'both are signed'
}

function keepsClassAndFee(model: Model, state: State): string | null {
  for (const id of state.deep) {
    const intent = model.deepAt(id)
    if (!intent.isHonest) continue
    const { paramsHash } = model.catalogue.terms(intent.creation)
    for (const at of state.revealed) {
      const one = model.revealedAt(at)
      const isOfThis =
        one.paramsHash === paramsHash && one.blobsHash === model.catalogue.fold(intent.blobs)
      if (!isOfThis) continue
      const { recipients } = one.revealed
      if (recipients.length > intent.recipientClass)
        return 'more recipients are revealed than the class allows'
      const isShielded = recipients.some((recipient) => recipient.startsWith('0x5afe'))
      if (isShielded && intent.feeBps !== 700) return 'a Safe is paid at the unshielded fee'
    }
  }
  return null
}
