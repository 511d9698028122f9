import fc from 'fast-check'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import {
  anchor,
  appendBlob,
  cancel,
  claim,
  collectFees,
  createIntent,
  deposit,
  placeBid,
  refund,
  settle,
  solve,
} from './bridgeModel.ts'
import {
  account,
  emit,
  type ModelChain,
  type ModelIntent,
  newChain,
  passTime,
} from './chainModel.ts'

export const CHAIN_A = 84532
export const CHAIN_B = 2651420

/** Two chains with a bridge each, every chain a source and a destination. */
export type World = { a: ModelChain; b: ModelChain }

/** One step: some call with some arguments. What the contract would refuse has no effect. */
export type Step = {
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
  ...(['advance', 'advance', 'advance', 'advance', 'advance', 'bid', 'wait'] as const),
  ...(['anchor', 'deposit', 'deliver', 'deliverWrong', 'settle', 'cancel', 'refund'] as const),
  ...(['appendBlob', 'claim', 'collectFees'] as const),
  ...(['blockAccount', 'unblockAccount', 'administer'] as const),
] as const

const SENDERS = [account(0x51), account(0x52), account(0x53)]
const SOLVERS = [account(0x61), account(0x62), account(0x63)]
const TOKENS = [account(0x71), account(0x72)]
/** Long waits land inside, on and beyond the model's windows. */
const LONG_WAITS = [19, 20, 59, 60, 599, 600, 900, 1000]

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

export function newWorld(): World {
  return { a: newChain(CHAIN_A), b: newChain(CHAIN_B) }
}

export function play(steps: readonly Step[]): World {
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
  const delivered = there.deliveries.has(`${here.chainId}|${intent.id}|${intent.winner.solver}`)
  return delivered ? 'settle' : 'deliver'
}

function create(step: Step, here: ModelChain, there: ModelChain): void {
  createIntent(here, {
    sender: SENDERS[step.who]!,
    destChainId: there.chainId,
    tokenA: TOKENS[step.token]!,
    tokenB: TOKENS[1 - step.token]!,
    amountA: BigInt(step.amount),
    expectedAmountB: BigInt(step.amount >> 1) + 1n,
    reward: BigInt(step.amount % 1000),
    duration: 20 + (step.intent % 3) * 20,
    encryptedBlob: step.intent % 2 ? account(1, 512) : '0x',
  })
}

type OnIntent = (step: Step, intent: ModelIntent, here: ModelChain, there: ModelChain) => unknown

const ON_INTENT: Partial<Record<Step['call'], OnIntent>> = {
  anchor: (step, intent, here) => anchor(here, intent, step.who ? 250 : 700),
  appendBlob: (_, intent, here) => appendBlob(here, intent),
  bid: (step, intent, here) => placeBid(here, intent, SOLVERS[step.who]!, offerFor(step, intent)),
  deposit: (step, intent, here) => {
    const { bestBid, endTime } = intent
    if (here.time < endTime) passTime(here, endTime - here.time + (step.wait % 2) * 60)
    deposit(here, intent, bestBid?.solver ?? SOLVERS[step.who]!, offerFor(step, intent))
  },
  deliver: (_, intent, here, there) => {
    const { winner, tokenB } = intent
    if (winner) solve(there, { ...named(intent, here), ...winnerOf(winner), tokenB })
  },
  deliverWrong: (step, intent, here, there) => solve(...wrongDelivery(step, intent, here, there)),
  settle: (_, intent, here, there) => {
    const { winner } = intent
    const key = `${here.chainId}|${intent.id}|${winner?.solver}`
    const delivered = there.deliveries.get(key)
    if (delivered) settle(here, intent, delivered)
  },
  cancel: (_, intent, here) => cancel(here, intent),
  refund: (_, intent, here) => refund(here, intent),
}

const ON_BRIDGE: Partial<Record<Step['call'], (step: Step, here: ModelChain) => unknown>> = {
  claim: (_, here) => claim(here, here.credits.keys().next().value ?? ''),
  collectFees: (step, here) => collectFees(here, TOKENS[step.token]!),
  blockAccount: (step, here) => here.blocked.add([...SENDERS, ...SOLVERS][step.intent % 6]!),
  unblockAccount: (step, here) => here.blocked.delete([...SENDERS, ...SOLVERS][step.intent % 6]!),
  administer: (step, here) => administer(step, here),
}

function administer(step: Step, chain: ModelChain): void {
  const token = TOKENS[step.token]!
  const previous = account(0xa1)
  const current = account(0xa1 + step.who)
  const destChainId = BigInt(1 + step.intent)
  const acts = [
    () => emit(chain, 'TokenListed', { token, minAmount: 1n, maxAmount: BigInt(step.amount) }),
    () => emit(chain, 'TokenDelisted', { token }),
    () => emit(chain, 'DestinationListed', { destChainId }),
    () => emit(chain, 'DestinationDelisted', { destChainId }),
    () => emit(chain, 'RelayerRotated', { previous, current }),
    () => emit(chain, 'TreasuryChanged', { previous, current }),
    () => emit(chain, 'CreationPaused', {}),
    () => emit(chain, 'CreationResumed', {}),
  ]
  acts[step.intent % acts.length]!()
}

/** The next best offer, or now and then one that is not good enough. */
function offerFor(step: Step, { bestBid, expectedAmountB }: ModelIntent): bigint {
  const least = bestBid?.amountB ?? expectedAmountB
  return step.amount % 7 === 0 ? least - 1n : least + BigInt(step.amount % 5)
}

function named(
  intent: ModelIntent,
  source: ModelChain,
): { sourceChainId: bigint; intentId: bigint } {
  return { sourceChainId: BigInt(source.chainId), intentId: intent.id }
}

function winnerOf(winner: { solver: Hex; amountB: bigint }): { solver: Hex; amountB: bigint } {
  return { solver: winner.solver, amountB: winner.amountB }
}

/** What a stranger or a cheat might deliver: wrong account, token, amount, or chain. */
function wrongDelivery(
  step: Step,
  intent: ModelIntent,
  here: ModelChain,
  there: ModelChain,
): Parameters<typeof solve> {
  const solver = step.who === 0 ? account(0x99) : (intent.winner?.solver ?? SOLVERS[step.who]!)
  const tokenB = step.token ? account(0x79) : intent.tokenB
  const amountB = step.amount % 2 ? 1n : 2n ** 256n - 1n
  const claimed = { ...named(intent, here), solver, tokenB, amountB }
  return [step.amount % 3 === 0 ? here : there, claimed]
}
