import { ALICE, BOB, THIEF } from './catalogue.ts'
import type { Scope } from './stateMachineTypes.ts'

const ZERO = `0x${'00'.repeat(20)}` as const

/** One intent, one enclave, and nothing unusual. */
const PLAIN: Scope = {
  name: 'plain',
  mode: 'strict',
  creations: ['alice'],
  quorum: 1,
  confirmations: 1,
  proposals: [],
  calls: [],
  enclaves: ['first'],
  rogues: [],
  can: {},
  budget: { sourceReorg: 0, destinationReorg: 0, rogue: 0, falseDelivery: 0, bid: 1 },
}
const { budget: NONE } = PLAIN

const SIGNED = { names: [BOB], n: 1, isSigned: true }
const PAIR = { names: [ALICE, BOB], n: 2, isSigned: true }
const STRANGERS = { names: [THIEF], n: 9, isSigned: false }

/** Scopes to explore. Each covers one thing that may go wrong and includes nothing else. */
export const SCOPES = {
  reorgs: {
    ...PLAIN,
    name: 'both chains reorganise',
    creations: ['alice', 'thief'],
    budget: { ...NONE, sourceReorg: 1, destinationReorg: 1, falseDelivery: 1 },
  },
  naming: {
    ...PLAIN,
    name: 'the sender names others, by signature and by call',
    creations: ['bare', 'alice'],
    proposals: [SIGNED, PAIR, STRANGERS],
    calls: [{ names: [ALICE, BOB], n: 1 }],
    budget: { ...NONE, sourceReorg: 1 },
  },
  wallets: {
    ...PLAIN,
    name: 'a recipient registers as a wallet at any time',
    creations: ['wallet', 'bare'],
    proposals: [SIGNED],
    can: { register: true },
    budget: { ...NONE, sourceReorg: 1, destinationReorg: 1 },
  },
  rogue: {
    ...PLAIN,
    name: 'a rogue key anchors and appends',
    creations: ['alice', 'bare', 'wallet'],
    proposals: [SIGNED],
    rogues: ['rogue'],
    can: { register: true },
    budget: { ...NONE, sourceReorg: 1, rogue: 2 },
  },
  answers: {
    ...PLAIN,
    name: 'two must sign, and a rogue operator with two keys signs anything',
    quorum: 2,
    enclaves: ['first', 'second'],
    rogues: ['rogue', 'rogueToo'],
    budget: { ...NONE, sourceReorg: 1, destinationReorg: 1, rogue: 1, falseDelivery: 1 },
  },
  rotation: {
    ...PLAIN,
    name: 'one of three enclaves rotates its root and attestation key',
    quorum: 2,
    enclaves: ['first', 'second', 'newcomer'],
    proposals: [SIGNED],
    rogues: ['rogue'],
    can: { rotate: true, revoke: true },
    budget: { ...NONE, sourceReorg: 1 },
  },
  compat: {
    ...PLAIN,
    name: 'compat mode, where no signature is needed',
    mode: 'compat',
    creations: ['bare', 'alice'],
    proposals: [SIGNED, STRANGERS],
    calls: [{ names: [ALICE], n: 0 }],
    rogues: ['rogue'],
    budget: { ...NONE, rogue: 1, sourceReorg: 1 },
  },
  undeliverable: {
    ...PLAIN,
    name: 'unpayable recipients',
    creations: ['zero', 'crowd'],
    proposals: [{ names: [ZERO], n: 3, isSigned: true }, SIGNED],
    calls: [{ names: [ZERO], n: 5 }],
    rogues: ['rogue'],
    budget: { ...NONE, rogue: 1 },
  },
  asking: {
    ...PLAIN,
    name: 'the winner requests the reveal on chain, or another solver takes over',
    can: { ask: true, takeOver: true },
    budget: { ...NONE, sourceReorg: 1, destinationReorg: 1, bid: 2 },
  },
} satisfies Record<string, Scope>
export type ScopeName = keyof typeof SCOPES

/** Everything combined, and more often: too large to explore, so walked at random. */
export const LARGE_SCOPES: readonly Scope[] = [
  {
    ...PLAIN,
    name: 'large',
    creations: ['alice', 'bare', 'wallet', 'zero', 'thief'],
    proposals: [SIGNED, PAIR, STRANGERS],
    calls: [
      { names: [ALICE, BOB], n: 1 },
      { names: [ZERO], n: 5 },
    ],
    confirmations: 2,
    enclaves: ['first', 'second'],
    rogues: ['rogue'],
    can: { register: true, ask: true, takeOver: true },
    budget: { sourceReorg: 6, destinationReorg: 6, rogue: 4, falseDelivery: 3, bid: 4 },
  },
  {
    ...PLAIN,
    name: 'large, two must sign',
    quorum: 2,
    confirmations: 3,
    creations: ['alice', 'bare', 'wallet'],
    proposals: [SIGNED, PAIR],
    calls: [{ names: [ALICE, BOB], n: 3 }],
    enclaves: ['first', 'second', 'newcomer'],
    rogues: ['rogue', 'rogueToo'],
    can: { register: true, rotate: true, revoke: true, ask: true, takeOver: true },
    budget: { sourceReorg: 6, destinationReorg: 6, rogue: 4, falseDelivery: 3, bid: 4 },
  },
]
