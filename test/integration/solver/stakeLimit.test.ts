import { formatUnits } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { worth } from '../../../devnet/tokens.ts'
import { calculateBond } from '../../../src/money/calculateBond.ts'
import { readBridgeEvents } from '../indexer/bridgePair.ts'
import { readIntentOnChain } from './fakeRelayer.ts'
import { type SolverRig, startSolverRig } from './solverRig.ts'

/** The lock for each of the rig's intents: 10,000 USDC cents and a reward of a hundredth. */
const LOCK = calculateBond({ amountA: worth('USDC', 10_000), reward: worth('USDC', 100) })

/** Seconds: still open when the first intent is settled. */
const LONG_AUCTION = 3_600

let rig: SolverRig

beforeAll(async () => {
  // Enough for one lock and a half.
  const stakes = { USDC: formatUnits((LOCK * 3n) / 2n, 6) }
  rig = await startSolverRig({ stakes })
})
afterAll(() => rig?.stop())

const isLed = async (id: bigint) => !/^0x0+$/.test((await readIntentOnChain(rig.pair, id)).solver)

it('a solver with stake for one lock bids for the intent that ends first, and for another one once that is settled', async () => {
  const first = await rig.offer()
  const others = [await rig.offer(LONG_AUCTION), await rig.offer(LONG_AUCTION)]
  const solver = await rig.start()
  await rig.until(rig.isReady, 'it has staked')
  await rig.pair.play.letRecipientsStand(first)
  await rig.until(() => isLed(first), 'the first is bid for')
  await rig.pair.play.endAuction()
  await rig.until(
    async () => (await readIntentOnChain(rig.pair, first)).phase === 3,
    'it is settled',
  )
  await rig.pair.play.letRecipientsStand(others[0]!)
  const led = async () => (await Promise.all(others.map(isLed))).filter(Boolean).length
  await rig.until(async () => (await led()) > 0, 'another is bid for')
  for (let block = 0; block < 10; block++) await rig.pair.base.client.mine({ blocks: 1 })
  expect(await led()).toBe(1)
  await solver.stop()
  const bids = (await readBridgeEvents(rig.pair.base)).flatMap(({ type, args }) =>
    type === 'BidPlaced' ? [args.intentId] : [],
  )
  expect(bids[0]).toBe(first)
})
