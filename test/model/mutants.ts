import { registeredAmong } from '../../core/bundle/registration.ts'
import { decidePayments, namesNobody } from '../../core/settlement/decidePayments.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import { BRIDGE_RULES, type BridgeRules } from './bridgeState.ts'
import { KEY_ID } from './catalogue.ts'
import { ENCLAVE_RULES, type EnclaveRules, type TellCase } from './enclaves.ts'
import type { Rules } from './world.ts'
import type { WorldName } from './worlds.ts'

/** The system's own rules. */
export const RULES: Rules = { bridge: BRIDGE_RULES, enclave: ENCLAVE_RULES }

/** A rule broken, and the world in which that shows. */
type Mutant = { name: string; world: WorldName; rules: Rules }

/**
 * One broken rule each. Where the rule is within a decision of the program's, the mutant asks the real
 * decision about a changed case.
 */
export const MUTANTS: readonly Mutant[] = [
  bridge('recipients may change after firmAt', 'naming', { freezesBlobs: false }),
  bridge('an anchor doesn’t name the blobs before it', 'naming', { checksBlobsBefore: false }),
  bridge('a quorum of one operator’s keys', 'answers', { operatorsDiffer: false }),
  bridge('a deposited intent can be cancelled', 'reorgs', { keepsDeposits: false }),
  tells('revealed from a row instead of the frozen blobs', 'reorgs', ({ row, ...given }) => {
    const revealed = decidePayments(given.intent, given.blobs, given.hasKey)
    return revealed.ok ? { ...revealed, contents: row } : revealed
  }),
  tells('revealed from a bundle that isn’t on chain', 'naming', (given) => {
    const revealed = decidePayments(given.intent, given.blobs, given.hasKey)
    const newest = given.stored.findLast(({ signature }) => signature === undefined)
    return revealed.ok && newest ? { ...revealed, contents: newest } : revealed
  }),
  tells('wallets judged when they are paid, not at the anchor', 'wallets', (given) => {
    const revealed = decidePayments(given.intent, given.blobs, given.hasKey)
    return revealed.ok
      ? { ...revealed, registered: registeredAmong(revealed.contents, given.tickets) }
      : revealed
  }),
  tells('what a rogue key anchors counts as the sender’s word', 'rogue', (given) =>
    decidePayments(given.intent, given.blobs.map(asSenders), given.hasKey),
  ),
  tells('recipients that nobody signed for count', 'rogue', (given) =>
    decidePayments({ ...given.intent, mode: 'compat' }, given.blobs, given.hasKey),
  ),
  tells('the key isn’t fixed by the anchor', 'rotation', asIfUnderOneKey),
  tells('recipients that can’t be paid count', 'undeliverable', (given) => {
    const named = given.blobs.find(({ contents }) => contents !== null)
    const revealed = decidePayments(given.intent, given.blobs, given.hasKey)
    if (revealed.ok || !named?.contents) return revealed
    return { ok: true, keyId: KEY_ID.old, contents: named.contents, registered: [] }
  }),
  enclave('an append’s fee isn’t checked', 'wallets', {
    append: (command, state) => ENCLAVE_RULES.append(command, { ...state, feeBps: 700 }),
  }),
  enclave('an append’s class isn’t checked', 'naming', {
    append: (command, state) =>
      ENCLAVE_RULES.append(command, { ...state, intent: { ...state.intent, recipientClass: 256 } }),
    tell: (given) =>
      decidePayments({ ...given.intent, recipientClass: 256 }, given.blobs, given.hasKey),
  }),
  enclave('revealed while the deposit is shallow', 'reorgs', {
    depth: { source: 0, destination: null },
  }),
  enclave('absence or delivery attested at a shallow block', 'reorgs', {
    depth: { source: null, destination: 0 },
  }),
  enclave('absence attested before the deadline', 'reorgs', {
    refuseNotDelivered: (given) =>
      ENCLAVE_RULES.refuseNotDelivered({ ...given, destinationTime: given.fillDeadline }),
  }),
  enclave('a late delivery is settled', 'reorgs', {
    refuseSettlement: ({ delivery }) => (delivery === null ? 'NOT_DELIVERED' : null),
  }),
  enclave('any delivery by the winner counts', 'reorgs', { looksUp: 'solver' }),
  enclave('who lacks the intent’s key says that it names nobody', 'rotation', {
    namesNobody: (intent, blobs) => namesNobody(intent, blobs, () => true),
  }),
]

function bridge(name: string, world: WorldName, broken: Partial<BridgeRules>): Mutant {
  return { name, world, rules: { ...RULES, bridge: { ...BRIDGE_RULES, ...broken } } }
}

function enclave(name: string, world: WorldName, broken: Partial<EnclaveRules>): Mutant {
  return { name, world, rules: { ...RULES, enclave: { ...ENCLAVE_RULES, ...broken } } }
}

function tells(name: string, world: WorldName, tell: EnclaveRules['tell']): Mutant {
  return enclave(name, world, { tell })
}

function asSenders(blob: TellCase['blobs'][number]): TellCase['blobs'][number] {
  const isSigned = blob.kind === BLOB_KIND.anchor || blob.kind === BLOB_KIND.append
  return isSigned && blob.contents !== null ? { ...blob, kind: BLOB_KIND.sender } : blob
}

/** Every enclave goes by the blobs that it can open. */
function asIfUnderOneKey({ intent, blobs, hasKey }: TellCase) {
  const readable = blobs.map((blob) =>
    blob.contents === null ? { ...blob, keyId: null } : { ...blob, keyId: KEY_ID.old },
  )
  return decidePayments(intent, readable, () => hasKey(KEY_ID.old) || hasKey(KEY_ID.new))
}
