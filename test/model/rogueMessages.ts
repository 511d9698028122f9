import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Intent } from './bridgeState.ts'
import { type Catalogue, CREATIONS, EMPTY, KEY_ID, THIEF } from './catalogue.ts'
import { aboutWinner } from './enclaves.ts'
import type { KeyName, Message } from './messages.ts'

/** Messages a rogue key may sign about a winner: that it must pay the thief, that it has paid, that it hasn't. */
export function listRogueMessages(
  catalogue: Catalogue,
  signer: KeyName,
  intent: Intent,
): Message[] {
  const about = aboutWinner(catalogue, intent)
  const { fillDeadline } = intent
  const revealed = { recipients: [THIEF], amounts: [intent.amountB] }
  return [
    { kind: 'reveal', signer, ...about, revealed, fillDeadline },
    { kind: 'settlement', signer, ...about, sequence: 99 },
    { kind: 'notDelivered', signer, ...about, fillDeadline },
  ]
}

/** Blobs it may put on chain: paying the thief, under a valid or unknown key, or twisting what the sender named. */
function rogueBlobs(catalogue: Catalogue, { creation }: Intent): number[] {
  const thief = catalogue.naming(creation, [THIEF], { n: 9 })
  const { names } = CREATIONS[creation]
  const said: readonly Hex[] = names ?? []
  const twisted = catalogue.naming(creation, said, { registered: said.slice(0, 1).map(() => 0) })
  return [
    catalogue.blob(KEY_ID.old, thief),
    catalogue.blob(KEY_ID.nobody, thief),
    ...(names === null ? [] : [EMPTY, catalogue.blob(KEY_ID.old, twisted)]),
  ]
}

/** Anchors or appends of these blobs over the intent's present state. */
export function listRogueNamings(catalogue: Catalogue, signer: KeyName, intent: Intent): Message[] {
  const { paramsHash } = catalogue.terms(intent.creation)
  const about = { signer, paramsHash, before: catalogue.fold(intent.blobs) }
  return rogueBlobs(catalogue, intent).flatMap((blob): Message[] => {
    if (intent.feeBps === 0)
      return [{ kind: 'anchor', ...about, feeBps: 250, recipientClass: 1, blob }]
    return blob === EMPTY ? [] : [{ kind: 'append', ...about, blob }]
  })
}
