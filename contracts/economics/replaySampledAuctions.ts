import { compileArtifacts } from '../artifacts.ts'
import { adversaries } from './adversaries.ts'
import { playStrategy } from './adversaryStrategy.ts'
import { calculateBond } from './auctionRules.ts'
import { createRandomAuction } from './createRandomAuction.ts'
import { amountA, openMarket, reward, type Scenario } from './marketScenario.ts'
import { openReplayChain } from './openReplayChain.ts'
import { windowsOf } from './playAuction.ts'
import { type Replayed, replayAuction } from './replayAuction.ts'
import { createSeededRandom } from './seededRandom.ts'

/** The result of replaying auctions on the compiled contract. */
type ReplayReport = { auctions: number; transactions: number; differences: string[] }

/**
 * Replays a random sample on real nodes, one per block time: half are auctions played by adversaries of every kind,
 * half are random calls.
 */
export async function replaySampledAuctions(auctions: number, seed: number): Promise<ReplayReport> {
  const artifacts = await compileArtifacts()
  const report: ReplayReport = { auctions: 0, transactions: 0, differences: [] }
  for (const blockSeconds of [2, 12] as const) {
    const chain = await openReplayChain(artifacts, windowsOf(blockSeconds))
    try {
      for (let i = 0; i < auctions / 2; i += 1) {
        const own = seed + 1_000 * i
        const replayed =
          i % 2 === 0
            ? sampledAuction(own, blockSeconds)
            : createRandomAuction(own, windowsOf(blockSeconds))
        const differences = await replayAuction(chain, replayed)
        report.auctions += 1
        report.transactions += replayed.log.length
        report.differences.push(...differences.map((text) => `seed ${own}: ${text}`))
      }
    } finally {
      await chain.stop()
    }
  }
  return report
}

/** An auction that some adversary spoils in some way. */
export function sampledAuction(seed: number, blockSeconds: 2 | 12): Replayed {
  const random = createSeededRandom(seed)
  const any = <Item>(items: readonly Item[]) => items[random.between(0, items.length - 1)] as Item
  const { dailyVolatility = 0.04, strategies } = any(adversaries)
  const scenario: Scenario = {
    blockSeconds,
    floorShare: any([0.995, 0.95, 0]),
    honest: any([1, 2, 3, 5, 10]),
    dailyVolatility,
  }
  const { auction, log } = playStrategy(scenario, openMarket(scenario, seed), any(strategies))
  const { windows, expectedAmountB, duration } = auction
  const terms = { windows, amountA, reward, expectedAmountB, duration }
  return { terms, stakes: auction.stakes.map(() => 3 * calculateBond(auction)), log }
}
