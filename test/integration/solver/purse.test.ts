import { encodeFunctionData, erc20Abi } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { bondOf } from '../../../src/money/bondOf.ts'
import { eventsOf } from '../indexer/bridgePair.ts'
import { intentOf } from './fakeRelayer.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

/** Seconds: long enough to be open still when the first intent is settled. */
const LONG_AUCTION = 3_600

let rig: SolverRig

beforeAll(async () => {
  rig = await startSolverRig()
})
afterAll(() => rig?.stop())

/** Leaves the solver so much of what bonds are paid in. */
async function keepOnly(amount: bigint): Promise<void> {
  const { client, contracts, solvers, senders } = rig.pair.base
  const [solver, sender] = [solvers[0], senders[0]] as [AccountSender, AccountSender]
  const token = { address: contracts.tokens.USDC, abi: erc20Abi } as const
  const balance = await client.readContract({
    ...{ ...token, functionName: 'balanceOf', args: [solver.address] },
  })
  const args = [sender.address, balance - amount] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await solver.execute({ to: token.address, data })
}

it('a solver that has one bond and three intents to choose from bids for the one that ends first, and for the others once that is settled', async () => {
  const first = await rig.offer()
  const others = [await rig.offer(LONG_AUCTION), await rig.offer(LONG_AUCTION)]
  const bond = bondOf((await intentOf(rig.pair, first)).amountA)
  await keepOnly(bond + worth('USDC', 1))
  const solver = await rig.start()
  const isLed = async (id: bigint) => !/^0x0+$/.test((await intentOf(rig.pair, id)).solver)
  await rig.until(() => isLed(first), 'the first is bid for')
  await rig.pair.play.endAuction()
  await rig.until(async () => (await intentOf(rig.pair, first)).phase === 3, 'it is settled')
  await rig.until(
    async () => (await Promise.all(others.map(isLed))).every(Boolean),
    'the others are bid for',
  )
  await solver.stop()
  const story = (await eventsOf(rig.pair.base)).flatMap(({ type, args }) =>
    type === 'BidPlaced' || type === 'IntentSettled' ? [[type, args.intentId]] : [],
  )
  expect(story.slice(0, 2)).toEqual([
    ['BidPlaced', first],
    ['IntentSettled', first],
  ])
  expect(new Set(story.slice(2))).toEqual(new Set(others.map((id) => ['BidPlaced', id])))
})
