import type { ReactionEvent } from '../../../services/relayer/reconciler/reactionContext.ts'
import type { Reactions } from '../../../services/relayer/reconciler/startReactions.ts'
import { type Offer, type RelayerRig, startRelayerRig } from './relayerRig.ts'

export let rig: RelayerRig
let running: Reactions[] = []

/** Starts two chains with a relayer's database, to be closed. Reactions are a test's own. */
export async function openTestbed(): Promise<void> {
  rig = await startRelayerRig({ mode: 'compat' })
}

export async function closeTestbed(): Promise<void> {
  await rig?.stop()
}

/** Stops the reactions a test has started. */
export async function endReactions(): Promise<void> {
  await Promise.all(running.map((one) => one.stop()))
  running = []
}

export async function startReactions(options: Parameters<RelayerRig['startReactions']>[0] = {}) {
  const events: ReactionEvent[] = []
  const onEvent = (event: unknown) => events.push(event as ReactionEvent)
  const reactions = await rig.startReactions({ onEvent, ...options } as never)
  running.push(reactions)
  return { reactions, events }
}

export async function isAnchored(id: bigint): Promise<boolean> {
  return (await rig.stored(id))?.source.feeBps === 250
}

/** Brings offers to where their winner has deposited; their auctions end together. */
export async function depositAsWinner(...offers: Offer[]): Promise<void> {
  const anchored = async () =>
    (await Promise.all(offers.map(({ id }) => isAnchored(id)))).every(Boolean)
  await rig.until(anchored, 'anchored')
  for (const { id } of offers) await rig.play.bid(id)
  await rig.endAuctions(offers)
  for (const { id } of offers) await rig.play.deposit(id)
}

export const isIn =
  (phase: string, ...offers: Offer[]) =>
  async () =>
    (await Promise.all(offers.map(({ id }) => rig.phase(id)))).every((one) => one === phase)

export async function transactionsOf(id: bigint) {
  const { rows } = await rig.client.query(
    `select kind, state, round from app.transaction
     where effect = $1 or effect like $1 || ':%' order by id`,
    [String(id)],
  )
  return rows
}
