import { findRegisteredRecipients } from '../../core/recipientBundle/findRegisteredRecipients.ts'
import {
  decideRevealedPayments,
  hasNoRecipients,
} from '../../core/settlement/decideRevealedPayments.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import { BRIDGE_RULES, type BridgeRules } from './bridgeState.ts'
import { KEY_ID } from './catalogue.ts'
import { ENCLAVE_RULES, type EnclaveRules, type RevealCase } from './enclaves.ts'
import type { ScopeName } from './explorationScopes.ts'
import type { Rules } from './stateMachineTypes.ts'

/** The system's real rules. */
export const RULES: Rules = { bridge: BRIDGE_RULES, enclave: ENCLAVE_RULES }

/** A broken rule, and the scope in which an invariant must fail. */
type Mutant = { name: string; scope: ScopeName; rules: Rules }

/**
 * One broken rule each. Where the rule is part of the program's own decision, the mutant calls that decision with altered
 * input.
 */
export const MUTANTS: readonly Mutant[] = [
  bridge('recipients may change after firmAt', 'naming', { freezesBlobs: false }),
  bridge('an anchor doesn’t name the blobs before it', 'naming', { checksBlobsBefore: false }),
  bridge('a quorum of one operator’s keys', 'answers', { operatorsDiffer: false }),
  bridge('a deposited intent can be cancelled', 'reorgs', { keepsDeposits: false }),
  reveals('revealed from a row instead of the frozen blobs', 'reorgs', ({ row, ...given }) => {
    const revealed = decideRevealedPayments(given.intent, given.blobs, given.hasKey)
    return revealed.ok ? { ...revealed, contents: row } : revealed
  }),
  reveals('revealed from a bundle that isn’t on chain', 'naming', (given) => {
    const revealed = decideRevealedPayments(given.intent, given.blobs, given.hasKey)
    const newest = given.stored.findLast(({ signature }) => signature === undefined)
    return revealed.ok && newest ? { ...revealed, contents: newest } : revealed
  }),
  reveals('wallets are judged when paid, not at the anchor', 'wallets', (given) => {
    const revealed = decideRevealedPayments(given.intent, given.blobs, given.hasKey)
    return revealed.ok
      ? { ...revealed, registered: findRegisteredRecipients(revealed.contents, given.tickets) }
      : revealed
  }),
  reveals('recipients anchored by a rogue key count as the sender’s', 'rogue', (given) =>
    decideRevealedPayments(given.intent, given.blobs.map(asSenders), given.hasKey),
  ),
  reveals('unsigned recipients count', 'rogue', (given) =>
    decideRevealedPayments({ ...given.intent, mode: 'compat' }, given.blobs, given.hasKey),
  ),
  reveals('the anchor doesn’t fix the key', 'rotation', asIfUnderOneKey),
  reveals('unpayable recipients count', 'undeliverable', (given) => {
    const named = given.blobs.find(({ contents }) => contents !== null)
    const revealed = decideRevealedPayments(given.intent, given.blobs, given.hasKey)
    if (revealed.ok || !named?.contents) return revealed
    return { ok: true, keyId: KEY_ID.old, contents: named.contents, registered: [] }
  }),
  enclave('an append’s fee isn’t checked', 'wallets', {
    append: (command, state) => ENCLAVE_RULES.append(command, { ...state, feeBps: 700 }),
  }),
  enclave('an append’s class isn’t checked', 'naming', {
    append: (command, state) =>
      ENCLAVE_RULES.append(command, { ...state, intent: { ...state.intent, recipientClass: 256 } }),
    reveal: (given) =>
      decideRevealedPayments({ ...given.intent, recipientClass: 256 }, given.blobs, given.hasKey),
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
  enclave('an enclave without the intent’s key attests that it names nobody', 'rotation', {
    namesNobody: (intent, blobs) => hasNoRecipients(intent, blobs, () => true),
  }),
]

function bridge(name: string, scope: ScopeName, broken: Partial<BridgeRules>): Mutant {
  return { name, scope, rules: { ...RULES, bridge: { ...BRIDGE_RULES, ...broken } } }
}

function enclave(name: string, scope: ScopeName, broken: Partial<EnclaveRules>): Mutant {
  return { name, scope, rules: { ...RULES, enclave: { ...ENCLAVE_RULES, ...broken } } }
}

function reveals(name: string, scope: ScopeName, reveal: EnclaveRules['reveal']): Mutant {
  return enclave(name, scope, { reveal })
}

function asSenders(blob: RevealCase['blobs'][number]): RevealCase['blobs'][number] {
  const isSigned = blob.kind === BLOB_KIND.anchor || blob.kind === BLOB_KIND.append
  return isSigned && blob.contents !== null ? { ...blob, kind: BLOB_KIND.sender } : blob
}

/** Each enclave considers only the blobs it can open. */
function asIfUnderOneKey({ intent, blobs, hasKey }: RevealCase) {
  const readable = blobs.map((blob) =>
    blob.contents === null ? { ...blob, keyId: null } : { ...blob, keyId: KEY_ID.old },
  )
  return decideRevealedPayments(intent, readable, () => hasKey(KEY_ID.old) || hasKey(KEY_ID.new))
}
