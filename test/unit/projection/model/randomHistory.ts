import fc from 'fast-check'
import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import {
  anchor,
  appendBlob,
  askRecipients,
  calculateBond,
  cancel,
  claim,
  claimDelivery,
  collectFees,
  createIntent,
  deposit,
  nameRecipients,
  placeBid,
  refund,
  refundUndelivered,
  revealRecipients,
  setSealingKey,
  settle,
  solve,
  stake,
  unstake,
} from './bridgeModel.ts'
import {
  account,
  announce,
  emit,
  FORFEIT_RECEIVER,
  listToken,
  type ModelChain,
  type ModelDelivery,
  type ModelIntent,
  newChain,
  passTime,
  stakeOf,
  TOKENS,
} from './chainModel.ts'
import {
  ciphertextOf,
  claimFromVault,
  closeOrder,
  dueAt,
  fireTranche,
  fundOrder,
  type ModelOrder,
} from './vaultModel.ts'

export const CHAIN_A = 84532
export const CHAIN_B = 2651420

/** Two chains with a bridge each, every chain a source and a destination. */
export type World = { a: ModelChain; b: ModelChain }

/** One step: some call with some arguments. What the contract would refuse has no effect. */
type Step = {
  call: (typeof CALLS)[number]
  onA: boolean
  who: number
  intent: number
  token: number
  amount: number
  wait: number
}

const CALLS = [
  ...(['create', 'create', 'advance', 'advance', 'advance', 'advance', 'advance'] as const),
  ...(['advance', 'advance', 'advance', 'advance', 'advance', 'bid', 'bid', 'wait'] as const),
  ...(['advance', 'advance', 'advance', 'advance', 'advance', 'advance', 'advance'] as const),
  ...(['anchor', 'deposit', 'deliver', 'deliverWrong', 'settle', 'cancel', 'refund'] as const),
  ...(['ask', 'reveal', 'refundUndelivered', 'appendBlob', 'nameRecipients'] as const),
  ...(['stake', 'unstake', 'claim', 'claimDelivery', 'claimFromVault', 'collectFees'] as const),
  ...(['fundOrder', 'fireTranche', 'fireTranche', 'fireTranche', 'closeOrder'] as const),
  ...(['blockAccount', 'unblockAccount', 'administer', 'administer'] as const),
] as const

const SENDERS = [account(0x51), account(0x52), account(0x53)]
const SOLVERS = [account(0x61), account(0x62), account(0x63)]
const RECIPIENTS = [account(0x81), account(0x82), account(0x83)]
const REFUSABLE = [...SENDERS, ...SOLVERS, ...RECIPIENTS, FORFEIT_RECEIVER]
/** Long waits land inside, on and beyond the model's windows. */
const LONG_WAITS = [19, 20, 59, 60, 149, 150, 299, 300, 449, 450, 599, 600, 900, 1000]

const anyStep: fc.Arbitrary<Step> = fc.record({
  call: fc.constantFrom(...CALLS),
  onA: fc.boolean(),
  who: fc.nat(2),
  intent: fc.nat(30),
  token: fc.nat(1),
  amount: fc.integer({ min: 1, max: 1_000_000_000 }),
  wait: fc.nat(LONG_WAITS.length - 1),
})

/** Random legal histories of two bridges, `steps` calls each (fewer events: some are refused). */
export function anyWorld(steps: number): fc.Arbitrary<World> {
  return fc.array(anyStep, { minLength: steps, maxLength: steps, size: 'max' }).map(play)
}

function newWorld(): World {
  return { a: newChain(CHAIN_A), b: newChain(CHAIN_B) }
}

function play(steps: readonly Step[]): World {
  const world = newWorld()
  for (const step of steps) {
    const [here, there] = step.onA ? [world.a, world.b] : [world.b, world.a]
    const seconds = step.call === 'wait' ? LONG_WAITS[step.wait]! : step.wait % 2
    passTime(here, seconds)
    passTime(there, seconds)
    take(step, here, there)
  }
  return world
}

function take(step: Step, here: ModelChain, there: ModelChain): void {
  if (step.call === 'create') create(step, here, there)
  else if (step.call === 'fundOrder') order(step, here, there)
  else if (step.call in ON_BRIDGE) ON_BRIDGE[step.call]?.(step, here)
  else {
    // Recent intents, so that steps meet on the same one often enough; old ones wait for a refund.
    const back = step.call === 'refund' ? here.intents.length : 3
    const recent = here.intents.at(-1 - (step.intent % back)) ?? here.intents.at(-1)
    if (!recent) return
    const call = step.call === 'advance' ? nextCall(recent, here, there) : step.call
    ON_INTENT[call]?.(step, recent, here, there)
  }
}

/** The call that brings an intent on: without a bias to it, hardly one would live to be settled. */
function nextCall(intent: ModelIntent, here: ModelChain, there: ModelChain): Step['call'] {
  if (intent.feeBps === null) return 'anchor'
  if (!intent.bestBid) return 'bid'
  if (!intent.winner) return 'deposit'
  return deliveryFor(intent, here, there) ? 'settle' : 'deliver'
}

/** A delivery that the enclaves would attest. */
function deliveryFor(intent: ModelIntent, here: ModelChain, there: ModelChain) {
  const { winner } = intent
  const isIt = (delivery: ModelDelivery) =>
    delivery.sourceChainId === BigInt(here.chainId) &&
    delivery.intentId === intent.id &&
    delivery.paramsHash === intent.paramsHash &&
    delivery.solver === winner?.solver &&
    delivery.tokenB === intent.tokenB &&
    delivery.amountB >= winner.amountB &&
    delivery.solvedAt < winner.fillDeadline
  return [...there.deliveries.values()].find(isIt)
}

function create(step: Step, here: ModelChain, there: ModelChain): void {
  const amountA = BigInt(step.amount) + 10_000n
  createIntent(here, {
    sender: SENDERS[step.who]!,
    destChainId: there.chainId,
    tokenA: TOKENS[step.token]!,
    tokenB: TOKENS[1 - step.token]!,
    amountA,
    expectedAmountB: BigInt(step.amount >> 1) + 1n,
    reward: BigInt(step.amount % 1000),
    duration: 20 + (step.intent % 3) * 20,
    encryptedBlob: step.intent % 2 ? blobOf(step) : '0x',
  })
}

function order(step: Step, here: ModelChain, there: ModelChain): void {
  const amountPerPeriod = BigInt(step.amount) + 10_000n
  const startTime = here.time + LONG_WAITS[step.wait]! - 300
  fundOrder(here, {
    owner: SENDERS[step.who]!,
    token: TOKENS[step.token]!,
    tokenB: TOKENS[1 - step.token]!,
    destChainId: there.chainId,
    expectedAmountB: BigInt(step.amount >> 1) + 1n,
    totalAmount: amountPerPeriod * BigInt(1 + (step.intent % 4)) + BigInt(step.amount % 3),
    amountPerPeriod,
    period: 4 + step.intent * 3,
    startTime,
    endTime: startTime + 1 + step.intent * 40,
    encrypted: ciphertextOf(here),
  })
}

/** The latest order but some, so that steps meet on one often enough. */
function recentOrder(step: Step, { orders }: ModelChain): ModelOrder | undefined {
  return orders.at(-1 - (step.intent % 2)) ?? orders.at(-1)
}

function blobOf({ amount }: Step): Hex {
  return account(1 + (amount % 200), 64)
}

type OnIntent = (step: Step, intent: ModelIntent, here: ModelChain, there: ModelChain) => unknown

const ON_INTENT: Partial<Record<Step['call'], OnIntent>> = {
  anchor: (step, intent, here) => {
    const recipientClass = 2 ** (step.intent % 9)
    const blob = step.amount % 3 === 0 ? '0x' : blobOf(step)
    anchor(here, intent, { feeBps: step.who ? 250 : 700, recipientClass, blob })
  },
  appendBlob: (step, intent, here) => appendBlob(here, intent, blobOf(step)),
  nameRecipients: (step, intent, here) => nameRecipients(here, intent, blobOf(step)),
  bid: (step, intent, here) => {
    const solver = SOLVERS[step.who]!
    provide(step, intent, here, solver)
    placeBid(here, intent, solver, offerFor(step, intent))
  },
  deposit: (step, intent, here) => {
    const { bestBid, endTime } = intent
    if (here.time < endTime) passTime(here, endTime - here.time + (step.wait % 2) * 60)
    const solver = step.intent % 3 ? bestBid?.solver : SOLVERS[step.who]
    if (!solver) return
    provide(step, intent, here, solver)
    deposit(here, intent, solver, offerFor(step, intent))
  },
  ask: (step, intent, here) => {
    const { winner } = intent
    const from = (winner?.depositedAt ?? 0) + here.terms.executionWindow / 4
    if (winner && here.time < from && step.amount % 4) passTime(here, from - here.time)
    askRecipients(here, intent, winner?.solver ?? SOLVERS[step.who]!)
  },
  reveal: (_, intent, here) => revealRecipients(here, intent),
  deliver: (step, intent, here, there) => {
    const { winner, tokenB } = intent
    if (!winner) return
    const { solver, amountB } = winner
    solve(there, { ...named(intent, here), solver, tokenB, payments: shared(step, amountB) })
  },
  deliverWrong: (step, intent, here, there) => solve(...wrongDelivery(step, intent, here, there)),
  settle: (_, intent, here, there) => {
    const delivered = deliveryFor(intent, here, there)
    if (delivered) settle(here, intent, delivered.chain2IntentId)
  },
  cancel: (_, intent, here) => cancel(here, intent),
  refund: (_, intent, here) => refund(here, intent),
  refundUndelivered: (_, intent, here, there) => {
    const isOver = intent.winner !== null && there.time >= intent.winner.fillDeadline
    if (isOver && !deliveryFor(intent, here, there)) refundUndelivered(here, intent)
  },
}

const ON_BRIDGE: Partial<Record<Step['call'], (step: Step, here: ModelChain) => unknown>> = {
  stake: (step, here) => {
    const solver = SOLVERS[step.who]!
    setSealingKey(here, solver)
    stake(here, solver, TOKENS[step.token]!, BigInt(step.amount))
  },
  unstake: (step, here) =>
    unstake(here, SOLVERS[step.who]!, TOKENS[step.token]!, BigInt(step.amount >> 4) + 1n),
  claim: (_, here) => claim(here, here.credits.keys().next().value ?? ''),
  fireTranche: (step, here) => {
    const due = recentOrder(step, here)
    if (!due) return
    const wait = dueAt(due) - here.time
    if (wait > 0 && wait < 120 && step.amount % 5) passTime(here, wait)
    fireTranche(here, due, step.intent % 3 ? blobOf(step) : '0x')
  },
  closeOrder: (step, here) => {
    const open = recentOrder(step, here)
    if (!open) return
    if (step.amount % 2 && here.time < open.endTime) passTime(here, open.endTime - here.time)
    closeOrder(here, open)
  },
  claimFromVault: (_, here) => claimFromVault(here, here.vaultCredits.keys().next().value ?? ''),
  claimDelivery: (step, here) => {
    const [[key, { owner }] = ['', { owner: null }]] = here.deliveryCredits
    if (owner && step.who > 0) here.blocked.delete(owner)
    claimDelivery(here, key)
  },
  collectFees: (step, here) => collectFees(here, TOKENS[step.token]!),
  blockAccount: (step, here) => here.blocked.add(REFUSABLE[step.intent % REFUSABLE.length]!),
  unblockAccount: (step, here) => here.blocked.delete(REFUSABLE[step.intent % REFUSABLE.length]!),
  administer: (step, here) => administer(step, here),
}

/** Sees to it, most of the time, that a solver can back what it is about to do. */
function provide(step: Step, intent: ModelIntent, here: ModelChain, solver: Hex): void {
  const { total, locked } = stakeOf(here, solver, intent.tokenA)
  if (total - locked >= calculateBond(intent) || step.amount % 11 === 0) return
  setSealingKey(here, solver)
  stake(here, solver, intent.tokenA, calculateBond(intent) * 2n)
}

/** An amount, divided among some of the recipients. */
function shared({ intent, who }: Step, amount: bigint) {
  if (amount < 2n || intent % 2) return [{ to: RECIPIENTS[who]!, amount }]
  const rest = { to: RECIPIENTS[(who + 1) % 3]!, amount: amount - amount / 2n }
  return [{ to: RECIPIENTS[who]!, amount: amount / 2n }, rest]
}

function administer(step: Step, chain: ModelChain): void {
  const token = TOKENS[step.token]!
  const other = account(0x73)
  const periphery = account(0xc0 + step.who)
  const previous = account(0xa1)
  const current = account(0xa1 + step.who)
  const destChainId = BigInt(1 + step.intent)
  const [first] = chain.announced
  const acts = [
    () => announceListing(chain, token, 1 + step.who),
    () => announceListing(chain, other, 1),
    () => first && enact(chain, first),
    () => first && enact(chain, first),
    () => first && withdraw(chain, first[0]),
    () => emit(chain, 'TokenDelisted', { token: other }),
    () => emit(chain, 'DestinationListed', { destChainId }),
    () => emit(chain, 'DestinationDelisted', { destChainId }),
    () => emit(chain, 'PeripheryListed', { periphery }),
    () => emit(chain, 'PeripheryDelisted', { periphery }),
    () => emit(chain, 'TreasuryChanged', { previous, current }),
    () => emit(chain, 'CreationPaused', {}),
    () => emit(chain, 'CreationResumed', {}),
  ]
  acts[step.intent % acts.length]!()
}

function announceListing(chain: ModelChain, token: Hex, quorum: number): void {
  const args = [token, 10_000n, 2n ** 95n, quorum] as const
  const abi = bridgeIntentV2Abi
  const change = encodeFunctionData({ abi, functionName: 'listToken', args })
  announce(chain, change, () => listToken(chain, token, quorum))
}

type Announced = [Hex, { activeAt: number; enact: () => void }]

function enact(chain: ModelChain, [changeId, { activeAt, enact }]: Announced): void {
  if (chain.time < activeAt) return
  chain.announced.delete(changeId)
  enact()
}

function withdraw(chain: ModelChain, changeId: Hex): void {
  chain.announced.delete(changeId)
  emit(chain, 'ChangeWithdrawn', { changeId })
}

/** The next best offer, or now and then one that is not good enough. */
function offerFor(step: Step, { bestBid, expectedAmountB }: ModelIntent): bigint {
  const least = bestBid?.amountB ?? expectedAmountB
  return step.amount % 7 === 0 ? least - 1n : least + BigInt(step.amount % 5)
}

function named(
  intent: ModelIntent,
  source: ModelChain,
): { sourceChainId: bigint; intentId: bigint; paramsHash: Hex } {
  const { id: intentId, paramsHash } = intent
  return { sourceChainId: BigInt(source.chainId), intentId, paramsHash }
}

/** What a stranger or a cheat might deliver: wrong account, terms, token, amount, or chain. */
function wrongDelivery(
  step: Step,
  intent: ModelIntent,
  here: ModelChain,
  there: ModelChain,
): Parameters<typeof solve> {
  const solver = step.who === 0 ? account(0x99) : (intent.winner?.solver ?? SOLVERS[step.who]!)
  const tokenB = step.token ? account(0x79) : intent.tokenB
  const amount = step.amount % 2 ? 1n : 2n ** 255n - 1n
  const terms = named(intent, here)
  const paramsHash = step.amount % 5 === 0 ? account(0x33, 32) : terms.paramsHash
  const payments = [{ to: step.amount % 2 ? RECIPIENTS[step.who]! : account(0x98), amount }]
  const claimed = { ...terms, paramsHash, solver, tokenB, payments }
  return [step.amount % 3 === 0 ? here : there, claimed]
}
