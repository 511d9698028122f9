import type { Hex } from 'viem'
import { type Auction, apply, calculateBond, createAuction } from './auctionRules.ts'
import { buildActionCall } from './buildActionCall.ts'
import { forfeitReceiver } from './deployForReplay.ts'
import type { Chain } from './openReplayChain.ts'
import type { Logged } from './playAuction.ts'

/** A modelled auction to replay on the contract. */
export type Replayed = {
  /** The auction at creation: only terms and stakes are used. */
  terms: Pick<Auction, 'windows' | 'amountA' | 'reward' | 'expectedAmountB' | 'duration'>
  /** Each account's stake at creation. */
  stakes: number[]
  log: Pick<Logged, 'time' | 'step'>[]
}

/**
 * Sends every transaction of an auction to both the contract, in blocks of the same times, and the model.
 *
 * @returns the differences: refused calls and their errors; the intent, the stakes, and final payments. Empty if there
 *   are none.
 */
export async function replayAuction(
  chain: Chain,
  { terms, stakes, log }: Replayed,
): Promise<string[]> {
  await chain.prepareStakes(stakes)
  const before = await holdings(chain, stakes.length)
  const { intentId, createdAt } = await chain.create(terms)
  const model = createAuction(terms, createdAt, stakes)
  const differences: string[] = []
  for (const { time, step } of log) {
    if (step.kind === 'deliver') continue
    const at = createdAt + time
    const call = await buildActionCall(chain, intentId, step)
    const refused = await chain.send(call.from, call.data, at)
    const expected = apply(model, step, at)
    if (refused !== expected) {
      differences.push(`${JSON.stringify(step)} at ${time}: ${refused}, model ${expected}`)
    }
  }
  differences.push(...(await compareIntent(chain, intentId, model)))
  const after = await holdings(chain, stakes.length)
  differences.push(...compareMoney(model, before, after))
  return differences
}

async function compareIntent(chain: Chain, intentId: bigint, model: Auction): Promise<string[]> {
  const intent = await chain.read('getIntent', [intentId])
  const running = model.phase === 'open' || model.phase === 'deposited'
  const solver = model.solver === -1 ? zeroAddress : chain.solver(model.solver)
  const facts: [string, unknown, unknown][] = [
    ['phase', phases[intent.phase], model.phase],
    ['solver', intent.solver.toLowerCase(), solver.toLowerCase()],
    ['amountB', Number(intent.amountB), model.amountB],
    ['bond', Number(intent.bond), running && model.solver !== -1 ? calculateBond(model) : 0],
    ['fillDeadline', Number(intent.fillDeadline), model.fillDeadline],
    ['feeBps', intent.feeBps, model.feeBps],
    ['asked', intent.asked, model.asked],
    ['revealed', intent.revealed, model.revealed],
  ]
  const differences = differing(facts)
  for (const [account, { total, locked }] of model.stakes.entries()) {
    const [staked, held] = await chain.read('stakeOf', [chain.solver(account), chain.token])
    differences.push(
      ...differing([
        [`stake of ${account}`, Number(staked), total],
        [`lock of ${account}`, Number(held), locked],
      ]),
    )
  }
  return differences
}

type Holdings = { sender: number; forfeited: number; fees: number; solvers: number[] }

async function holdings(chain: Chain, solvers: number): Promise<Holdings> {
  const of = async (account: Hex) => Number(await chain.balanceOf(account))
  const held: number[] = []
  for (let account = 0; account < solvers; account += 1) held.push(await of(chain.solver(account)))
  return {
    sender: await of(chain.sender),
    forfeited: await of(forfeitReceiver),
    fees: Number(await chain.read('uncollectedFees', [chain.token])),
    solvers: held,
  }
}

function compareMoney(model: Auction, before: Holdings, after: Holdings): string[] {
  const facts: [string, unknown, unknown][] = [
    ['sender', after.sender - before.sender, model.refunded - model.amountA - model.reward],
    ['forfeited', after.forfeited - before.forfeited, model.forfeited],
    ['fee', after.fees - before.fees, model.fee],
  ]
  for (const [account, held] of after.solvers.entries()) {
    const paid = model.phase === 'settled' && model.solver === account ? model.payout : 0
    facts.push([`paid to ${account}`, held - (before.solvers[account] ?? 0), paid])
  }
  return differing(facts)
}

function differing(facts: [string, unknown, unknown][]): string[] {
  return facts
    .filter(([, actual, expected]) => actual !== expected)
    .map(([name, actual, expected]) => `${name}: ${actual}, model ${expected}`)
}

const phases = ['none', 'open', 'deposited', 'settled', 'cancelled', 'refunded']
const zeroAddress = '0x0000000000000000000000000000000000000000'
