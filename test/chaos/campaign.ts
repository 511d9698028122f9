import type { Windows } from '../../devnet/bridgeWindows.ts'
import type { ScenarioKind } from '../../devnet/traffic/scenario.ts'
import { drawFor } from '../../devnet/traffic/seededRandom.ts'
import { type MoneyTestbed, startMoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import {
  countDueDuringDowntime,
  findOrderProblems,
  listTranches,
  toPlayedIntent,
} from './findOrderProblems.ts'
import { judgeCampaign } from './judgeCampaign.ts'
import { drawVictims, type Victim } from './killableProcesses.ts'
import { type Kill, killProcess } from './killProcess.ts'
import { type OrderTraffic, startOrderTraffic, TOTAL } from './orderTraffic.ts'
import { type PushWatch, startPushWatch } from './pushWatch.ts'
import { createResumeProbes } from './resumeProbes.ts'
import { startTraffic, type Traffic } from './traffic.ts'

/** Settings of a campaign that kills processes with -9 while intents are in flight. */
export type Campaign = {
  /** Determines the order of kills and the intents offered. */
  seed: number
  kills: number
  /** Kill only this process. */
  only?: Victim
  /** Milliseconds between two intents. */
  intentEveryMs: number
  /** Milliseconds between two orders with tranches. */
  orderEveryMs: number
  /** Longest pause between two kills, in milliseconds. */
  longestRestMs: number
  /** Longest wait for a replacement to work, and for the last intent to end, in milliseconds: a slow machine is no failure. */
  patienceMs: number
  auctionSeconds: number
  windows: Windows
  /** Whether deadlines are long enough that every fair intent must complete. */
  mustAllComplete: boolean
  /** Scenarios to draw intents from; list one twice to double its odds. */
  kinds: readonly ScenarioKind[]
  /** Aborting stops the kills; what has been sent is still judged. */
  signal?: AbortSignal
  log(line: string): void
}

export type CampaignReport = {
  kills: Kill[]
  /** Number of intents by final status. */
  ends: Record<string, number>
  /** Fair intents that did not complete because the relayer or a solver missed a deadline. */
  late: string[]
  /** Intents that ended differently because the sender or the rogue solver missed its moment. */
  overtaken: string[]
  /** Violations; empty when nothing was lost and nothing done twice. */
  problems: string[]
}

/** Long deadlines, though shorter than in production: a role's downtime costs nobody anything. */
export const LONG: Omit<Campaign, 'seed' | 'kills' | 'only' | 'signal' | 'log'> = {
  intentEveryMs: 5_000,
  orderEveryMs: 8_000,
  longestRestMs: 3_000,
  patienceMs: 900_000,
  auctionSeconds: 180,
  windows: { firm: 30, pickup: 60, execution: 180, grace: 60 },
  mustAllComplete: true,
  kinds: [
    ...(['completed', 'completed', 'completed', 'completed', 'completed', 'completed'] as const),
    ...(['completed', 'completed', 'completed', 'completed', 'completed', 'completed'] as const),
    ...(['rescued', 'ignored', 'abandoned', 'undelivered', 'shortDelivery'] as const),
    ...(['lateDelivery', 'cancelledAtOnce', 'cancelledLater', 'spoiled', 'asked'] as const),
  ],
}

/** Finishes in a minute or two. On a busy machine a party may miss a deadline; then nobody may have paid. */
export const SHORT: typeof LONG = {
  intentEveryMs: 3_000,
  orderEveryMs: 20_000,
  longestRestMs: 1_000,
  patienceMs: 240_000,
  auctionSeconds: 25,
  windows: { pickup: 8, execution: 30, grace: 10 },
  mustAllComplete: false,
  kinds: ['completed', 'completed', 'completed', 'completed', 'cancelledLater', 'ignored'],
}

/**
 * Runs a campaign on its own devnet until the last intent ends.
 *
 * @param onFailure receives the log directory when the campaign finds violations
 */
export async function playCampaign(
  campaign: Campaign,
  onFailure: (logs: string) => void = () => {},
): Promise<CampaignReport> {
  const testbed = await startMoneyTestbed({ windows: campaign.windows })
  let isSound = false
  try {
    const report = await playOn(testbed, campaign)
    isSound = report.problems.length === 0
    return report
  } finally {
    if (!isSound) onFailure(`${testbed.directory}/logs`)
    await testbed.stop({ keepLogs: !isSound })
  }
}

async function playOn(testbed: MoneyTestbed, campaign: Campaign): Promise<CampaignReport> {
  const judgement = await judgeCampaign(testbed, campaign)
  const pushed = await startPushWatch(testbed)
  const orders = await startOrderTraffic(testbed, campaign)
  const traffic = await startTraffic(testbed, campaign)
  try {
    const kills = await killAll(testbed, { traffic, orders, pushed }, campaign)
    await Promise.all([traffic.endSending(), orders.endPlacing()])
    campaign.log(`${traffic.played().length} intents are running to completion`)
    const placed = orders.placed()
    const tranches = await listTranches(testbed, placed)
    const due = await countDueDuringDowntime(testbed, tranches, kills)
    campaign.log(
      `${placed.length} orders have ${tranches.length} tranches, ${due} of them due while the service was down`,
    )
    const given = placed.map(({ owner }) => ({ to: owner, amount: TOTAL }))
    const played = [...traffic.played(), ...tranches.map((one) => toPlayedIntent(testbed, one))]
    const { late, ...verdict } = await judgement.verdict(played, given)
    const problems = [
      ...verdict.problems,
      ...(await findOrderProblems(testbed, placed)),
      ...(await pushed.problems(played.map(({ id }) => id))),
      ...(campaign.mustAllComplete ? late : []),
    ]
    return { ...verdict, kills, late, problems }
  } finally {
    await traffic.stop()
    await pushed.stop()
  }
}

async function killAll(
  testbed: MoneyTestbed,
  { traffic, orders, pushed }: { traffic: Traffic; orders: OrderTraffic; pushed: PushWatch },
  { seed, kills: count, only, longestRestMs, patienceMs, signal, log }: Campaign,
): Promise<Kill[]> {
  const probes = await createResumeProbes(testbed, { orders, pushed })
  const draw = drawFor(seed, 'kills')
  const kills: Kill[] = []
  const strike = async (victim: Victim) => {
    const kill = await killProcess(testbed, victim, probes[victim], patienceMs)
    kills.push(kill)
    log(`kill ${kills.length}: ${victim}, ${(kill.resumedMs / 1_000).toFixed(1)} s`)
  }
  // The index takes longest to recover: kill others meanwhile.
  let index: Promise<unknown> = Promise.resolve()
  try {
    await traffic.isUnderWay()
    for (const victim of drawVictims(seed, count, only)) {
      if (signal?.aborted) break
      traffic.mustGoOn()
      orders.mustGoOn()
      await new Promise((resolve) => setTimeout(resolve, draw.between(0, longestRestMs)))
      if (!isOfIndex(victim)) await strike(victim)
      else {
        await index
        index = strike(victim)
        index.catch(() => {})
      }
    }
    await index
  } finally {
    await Promise.allSettled([index])
    await probes.close()
  }
  return kills
}

function isOfIndex(victim: Victim): boolean {
  return victim === 'indexer' || victim === 'ponder'
}
