import type { Reactions } from '../../../services/relayer/reconciler/startReactions.ts'
import type { Offer } from '../../integration/reactions/relayerRig.ts'
import {
  type Answer,
  startWritesRig,
  type WritesRig,
} from '../../integration/relayer/relayerApiRig.ts'

export let rig: WritesRig
let reactions: Reactions | null = null
/** An intent with a winner, its recipients known to nobody else. */
export let won: Offer
/** Every response received by the functions below. */
export const answersSeen: Answer[] = []

/** Starts the testbed; close it with `closeTestbed`. */
export async function openTestbed(): Promise<void> {
  rig = await startWritesRig()
  await resumeReactions()
  won = await rig.create({ blob: false })
  await storeSigned(won)
  await rig.anchored(won.id)
  await rig.won(won.id)
}

export async function closeTestbed(): Promise<void> {
  await pauseReactions()
  await rig?.stop()
}

export async function pauseReactions(): Promise<void> {
  await reactions?.stop()
  reactions = null
}

export async function resumeReactions(): Promise<void> {
  reactions = await rig.startReactions()
}

export async function post(path: string, body: unknown, headers?: Record<string, string>) {
  return recordAnswer(await rig.strict.post(path, body, headers))
}

/** As the sender itself stores them, in strict mode. */
export async function storeSigned(offer: Offer) {
  return recordAnswer(await rig.storeSigned(offer))
}

export async function get(path: string, headers?: Record<string, string>) {
  return recordAnswer(await rig.strict.get(path, headers))
}

export function recordAnswer(answer: Answer): Answer {
  answersSeen.push(answer)
  return answer
}

export function describeOutcome({ status, body }: Answer) {
  return [status, body.code ?? body.message]
}
