import type { Windows } from '../../devnet/bridgeWindows.ts'
import type { ScenarioKind } from '../../devnet/traffic/scenario.ts'
import { drawFor } from '../../devnet/traffic/seededRandom.ts'
import { type MoneyStage, startMoneyStage } from '../e2e/money/moneyStage.ts'
import { type Kill, killOne } from './kill.ts'
import { asPlayed, dueWhileAway, orderProblems, tranchesOf } from './orderBooks.ts'
import { type OrderTraffic, startOrderTraffic, TOTAL } from './orderTraffic.ts'
import { type PushWatch, startPushWatch } from './pushWatch.ts'
import { resumeProbes } from './resumeProbes.ts'
import { startTraffic, type Traffic } from './traffic.ts'
import { judge } from './verdict.ts'
import { type Victim, victimsFor } from './victims.ts'

/** Processes that are killed with -9 while intents are under way. */
export type Campaign = {
  /** Decides who is killed when, and who offers what. */
  seed: number
  kills: number
  /** Only this process is killed. */
  only?: Victim
  /** Milliseconds between two intents. */
  intentEveryMs: number
  /** Milliseconds between two orders with tranches. */
  orderEveryMs: number
  /** Longest rest between two kills, in milliseconds. */
  longestRestMs: number
  auctionSeconds: number
  windows: Windows
  /** Whether times are so long that each fair intent has to be completed. */
  isPatient: boolean
  /** Fates that intents are given, each as likely as it is often here. */
  kinds: readonly ScenarioKind[]
  /** Aborted: nobody more is killed, and what was sent is judged. */
  signal?: AbortSignal
  tell(line: string): void
}

export type CampaignReport = {
  kills: Kill[]
  /** How many intents came to which end. */
  ends: Record<string, number>
  /** Fair intents that weren't completed: the relayer or a solver was too late. */
  late: string[]
  /** Intents that ended differently because a sender, or the rogue, was too late for its plan. */
  overtaken: string[]
  /** What is not as it has to be; empty when nothing was lost and nothing done twice. */
  problems: string[]
}

/** Times that are long, yet shorter than in production: a role that is away costs nobody anything. */
export const LONG: Omit<Campaign, 'seed' | 'kills' | 'only' | 'signal' | 'tell'> = {
  intentEveryMs: 5_000,
  orderEveryMs: 8_000,
  longestRestMs: 3_000,
  auctionSeconds: 180,
  windows: { firm: 30, pickup: 60, execution: 180, grace: 60 },
  isPatient: true,
  kinds: [
    ...(['completed', 'completed', 'completed', 'completed', 'completed', 'completed'] as const),
    ...(['completed', 'completed', 'completed', 'completed', 'completed', 'completed'] as const),
    ...(['rescued', 'ignored', 'abandoned', 'undelivered', 'shortDelivery'] as const),
    ...(['lateDelivery', 'cancelledAtOnce', 'cancelledLater', 'spoiled', 'asked'] as const),
  ],
}

/** Over in a minute or two. On a busy machine somebody may come too late; then nobody may have paid. */
export const SHORT: typeof LONG = {
  intentEveryMs: 3_000,
  orderEveryMs: 20_000,
  longestRestMs: 1_000,
  auctionSeconds: 25,
  windows: { pickup: 8, execution: 30, grace: 10 },
  isPatient: false,
  kinds: ['completed', 'completed', 'completed', 'completed', 'cancelledLater', 'ignored'],
}

/**
 * Plays a campaign on a devnet of its own, to the end of its last intent.
 *
 * @param onFailure hears where the logs are kept, when something is not as it has to be
 */
export async function playCampaign(
  campaign: Campaign,
  onFailure: (logs: string) => void = () => {},
): Promise<CampaignReport> {
  const stage = await startMoneyStage({ windows: campaign.windows })
  let isSound = false
  try {
    const report = await playOn(stage, campaign)
    isSound = report.problems.length === 0
    return report
  } finally {
    if (!isSound) onFailure(`${stage.directory}/logs`)
    await stage.stop({ keepLogs: !isSound })
  }
}

async function playOn(stage: MoneyStage, campaign: Campaign): Promise<CampaignReport> {
  const judgement = await judge(stage, campaign.seed)
  const pushed = await startPushWatch(stage)
  const orders = await startOrderTraffic(stage, campaign)
  const traffic = await startTraffic(stage, campaign)
  try {
    const kills = await killAll(stage, { traffic, orders, pushed }, campaign)
    await Promise.all([traffic.endSending(), orders.endPlacing()])
    campaign.tell(`${traffic.played().length} intents are brought to their ends`)
    const placed = orders.placed()
    const tranches = await tranchesOf(stage, placed)
    const due = await dueWhileAway(stage, tranches, kills)
    campaign.tell(
      `${placed.length} orders have ${tranches.length} tranches, ${due} of them due while the service was away`,
    )
    const given = placed.map(({ owner }) => ({ to: owner, amount: TOTAL }))
    const played = [...traffic.played(), ...tranches.map((one) => asPlayed(stage, one))]
    const { late, ...verdict } = await judgement.verdict(played, given)
    const problems = [
      ...verdict.problems,
      ...(await orderProblems(stage, placed)),
      ...(await pushed.problems(played.map(({ id }) => id))),
      ...(campaign.isPatient ? late : []),
    ]
    return { ...verdict, kills, late, problems }
  } finally {
    await traffic.stop()
    await pushed.stop()
  }
}

async function killAll(
  stage: MoneyStage,
  { traffic, orders, pushed }: { traffic: Traffic; orders: OrderTraffic; pushed: PushWatch },
  { seed, kills: count, only, longestRestMs, signal, tell }: Campaign,
): Promise<Kill[]> {
  const probes = await resumeProbes(stage, { orders, pushed })
  const draw = drawFor(seed, 'kills')
  const kills: Kill[] = []
  const strike = async (victim: Victim) => {
    const kill = await killOne(stage, victim, probes[victim])
    kills.push(kill)
    tell(`kill ${kills.length}: ${victim}, ${(kill.resumedMs / 1_000).toFixed(1)} s`)
  }
  // The index takes longest to be back: others die meanwhile.
  let index: Promise<unknown> = Promise.resolve()
  try {
    await traffic.isUnderWay()
    for (const victim of victimsFor(seed, count, only)) {
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
