import { setTimeout as pause } from 'node:timers/promises'
import { type Hash, parseEventLogs } from 'viem'
import type { Status } from '../../core/intent/status.ts'
import { TOKEN_SYMBOLS } from '../../devnet/tokens.ts'
import { isTooDear, type Scenario, type ScenarioKind } from '../../devnet/traffic/scenario.ts'
import { drawFor } from '../../devnet/traffic/seededRandom.ts'
import { takeDueIntentSteps } from '../../devnet/traffic/takeDueIntentSteps.ts'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import { createLog } from '../../services/log/createLog.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Played } from '../e2e/money/expectedBalances.ts'
import { type MoneyTestbed, SECOND_SOLVER_TOKEN } from '../e2e/money/moneyTestbed.ts'
import {
  findScenario,
  type PlannedIntent,
  TOO_EXPENSIVE,
  USUAL,
} from '../e2e/money/plannedIntent.ts'
import { sendPlannedIntent } from '../e2e/money/sendPlannedIntent.ts'
import type { Campaign } from './campaign.ts'

/** Senders and one rogue solver that keep going while processes die. */
export type Traffic = {
  /** Every intent sent. */
  played(): Played[]
  /** Resolves when enough intents are in flight for a kill to matter. */
  isUnderWay(): Promise<void>
  /** @throws the error that prevented an intent from being sent */
  mustGoOn(): void
  /** Sends no more; resolves when the rest have been taken through their scenarios. */
  endSending(): Promise<void>
  stop(): Promise<void>
}

const ENDS: Record<ScenarioKind, Status> = {
  completed: 'completed',
  longAuction: 'completed',
  rescued: 'completed',
  refused: 'completed',
  asked: 'completed',
  spoiled: 'expired',
  ignored: 'expired',
  unanchored: 'expired',
  abandoned: 'expired',
  undelivered: 'failed',
  lateDelivery: 'failed',
  shortDelivery: 'failed',
  cancelledAtOnce: 'cancelled',
  cancelledLater: 'cancelled',
}

/** Sends intents at intervals and plays the sender's and rogue solver's part in each scenario. */
export async function startTraffic(testbed: MoneyTestbed, campaign: Campaign): Promise<Traffic> {
  const { chains, relayer } = testbed
  const { seed, windows, intentEveryMs } = campaign
  const key = await relayer.eciesPublicKey()
  const [sending, following] = [new AbortController(), new AbortController()]
  const played: Played[] = []
  const scenarios = new Map<bigint, Scenario>()
  let failure: unknown = null

  const sendAll = async () => {
    for (let number = 0; !sending.signal.aborted; number++) {
      const planned = plannedOf(campaign, number)
      const source = chains[planned.from]
      const { played: sent, hash } = await sendPlannedIntent(chains, planned, {
        sequence: 1n,
        seed,
        key,
      })
      const id = await createdBy(source, hash)
      scenarios.set(id, findScenario(planned))
      played.push({ ...sent, id })
      await pause(intentEveryMs, undefined, { signal: sending.signal }).catch(() => {})
    }
  }
  const sent = sendAll().catch((error) => {
    failure = error
  })
  const followed = takeDueIntentSteps(
    {
      chains: [...chains],
      relayer,
      seed,
      windows,
      perMinute: 0,
      log: createLog('player', { level: 'silent' }),
      scenarioOf: (id) => scenarios.get(id) ?? null,
    },
    following.signal,
  )
  const mustGoOn = () => {
    if (failure !== null) throw failure
  }
  return {
    played: () => [...played],
    mustGoOn,
    isUnderWay: async () => {
      while (played.length < 2) {
        mustGoOn()
        await pause(50)
      }
    },
    endSending: async () => {
      sending.abort()
      await sent
      mustGoOn()
    },
    stop: async () => {
      sending.abort()
      following.abort()
      await Promise.all([sent, followed])
    },
  }
}

/** The id of the intent that a transaction creates. */
async function createdBy({ client }: TrafficChain, hash: Hash): Promise<bigint> {
  const { logs } = await client.waitForTransactionReceipt({ hash })
  const eventName = 'IntentCreated'
  const [created] = parseEventLogs({ abi: bridgeIntentV2Abi, logs, eventName, strict: true })
  if (created === undefined) throw new Error(`no intent created by ${hash}`)
  return created.args.intentId
}

/** Plans the intent with this number, alternating between the solvers. */
function plannedOf({ seed, kinds, auctionSeconds }: Campaign, number: number): PlannedIntent {
  const draw = drawFor(seed, 'intent', number)
  const kind = draw.pick(kinds)
  const others = TOKEN_SYMBOLS.filter((symbol) => symbol !== SECOND_SOLVER_TOKEN)
  const isForSecond = draw.fraction() < 0.5
  return {
    ...USUAL,
    name: `${kind}, number ${number}`,
    kind,
    auctionSeconds,
    ends: ENDS[kind],
    from: draw.between(0, 1) as 0 | 1,
    tokenA: isForSecond ? SECOND_SOLVER_TOKEN : draw.pick(others),
    tokenB: isForSecond ? SECOND_SOLVER_TOKEN : draw.pick(others),
    cents: draw.between(10_000, 400_000),
    askedBps: isTooDear(kind) ? TOO_EXPENSIVE : USUAL.askedBps,
    // The id isn't predictable, since tranches are intents too. These intents name their recipients in the creation blob.
    naming: 'encrypted',
    recipients: draw.pick([1, 1, 2, 3]),
  }
}
