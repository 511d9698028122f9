import { findReason } from '../../services/chain/accountSender.ts'
import { repeat } from '../../services/process/repeat.ts'
import { type ChainObserver, createChainObserver } from './chainObserver.ts'
import { createDeliveryFinder, type DeliveryFinder } from './deliveryFinder.ts'
import { type Clocks, findNextIntentStep } from './findNextIntentStep.ts'
import type { ObservedIntent } from './observedIntent.ts'
import { findScenario, type Scenario } from './scenario.ts'
import {
  blacklistAbi,
  namedRecipients,
  type StepContext,
  takeIntentStep,
} from './takeIntentStep.ts'
import { positionOf, type TrafficChain } from './trafficChainClient.ts'
import type { TrafficOptions } from './trafficOptions.ts'

/** Milliseconds between polls of the chains. Blocks come once a second. */
const POLL_MS = 250
/** Milliseconds to wait after a failed step; doubles with each failure up to the longest. */
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000
/** Milliseconds after which recipients that the chain doesn't show yet are stored again: the relayer may have lost them. */
const STORE_AGAIN_MS = 30_000

type SeenIntent = Omit<ObservedIntent, 'delivery' | 'refusesFirst' | 'isStored'>

type Follower = TrafficOptions & {
  observed: { chain: TrafficChain; observer: ChainObserver; findDelivery: DeliveryFinder }[]
  /** Intents with a transaction in flight. */
  busy: Map<bigint, Promise<void>>
  /** Intents whose latest step failed. */
  backoff: Map<bigint, { failures: number; until: number }>
  /** When the relayer took the recipients of intents that the chain doesn't show as anchored yet. */
  stored: Map<bigint, number>
  /** Of the chains' latest blocks at the latest poll. Between blocks, nothing becomes due. */
  hashes: string
  signal: AbortSignal
}

/**
 * Takes every step that is due for the senders' intents on these chains until the signal is aborted, then waits for
 * transactions in flight. The chains' state alone determines what is due; what is remembered only spares requests.
 */
export async function takeDueIntentSteps(
  options: TrafficOptions,
  signal: AbortSignal,
): Promise<void> {
  const follower: Follower = {
    ...options,
    observed: options.chains.map((chain) => ({
      chain,
      observer: createChainObserver(chain),
      findDelivery: createDeliveryFinder(chain),
    })),
    busy: new Map(),
    backoff: new Map(),
    stored: new Map(),
    hashes: '',
    signal,
  }
  const onProblem = (error: unknown) =>
    options.log.debug({ reason: findReason(error) }, 'could not read the chains')
  await repeat(POLL_MS, onProblem, () => pollAndAct(follower), { signal }).ended
  await Promise.all(follower.busy.values())
}

async function pollAndAct(follower: Follower): Promise<void> {
  // Read the clocks before the intents: a stale clock only makes us later.
  const heads = await Promise.all(follower.observed.map(({ chain }) => chain.client.getBlock()))
  const hashes = heads.map(({ hash }) => hash).join()
  if (hashes === follower.hashes) return
  const readings = await Promise.all(
    follower.observed.map(async ({ chain, observer }, place) => {
      const time = Number(heads[place]?.timestamp)
      return { chainId: chain.chainId, time, intents: await observer.read() }
    }),
  )
  follower.hashes = hashes
  const times = new Map(readings.map(({ chainId, time }) => [chainId, time]))
  const now = performance.now()
  const idle = readings
    .flatMap(({ intents }) => intents)
    .filter((intent) => isOurs(follower, intent))
    .filter(({ id }) => !follower.busy.has(id))
    .filter(({ id }) => (follower.backoff.get(id)?.until ?? 0) <= now)
  await Promise.all(idle.map((intent) => actOn(follower, intent, times)))
}

async function actOn(
  follower: Follower,
  seen: SeenIntent,
  times: Map<number, number>,
): Promise<void> {
  const find = (requested: number) =>
    follower.observed.find(({ chain }) => chain.chainId === requested)
  const source = find(seen.sourceChainId)
  const destination = find(seen.destChainId)
  const scenario = (follower.scenarioOf ?? ((id: bigint) => findScenario(follower.seed, id)))(
    seen.id,
  )
  if (!source || !destination || scenario === null) return
  const delivery =
    seen.phase === 'deposited' && seen.solver
      ? await destination.findDelivery(seen, seen.solver)
      : null
  const isStored = performance.now() < (follower.stored.get(seen.id) ?? -Infinity) + STORE_AGAIN_MS
  if (seen.feeBps > 0) follower.stored.delete(seen.id)
  const about = { ...seen, delivery, isStored, refusesFirst: false }
  const refusesFirst =
    scenario.kind === 'refused' && (await isRefused(follower, about, scenario, destination.chain))
  const intent: ObservedIntent = { ...about, refusesFirst }
  const scene: StepContext = {
    intent,
    scenario,
    source: source.chain,
    destination: destination.chain,
    relayer: follower.relayer,
    seed: follower.seed,
  }
  act(follower, scene, {
    source: times.get(seen.sourceChainId) ?? 0,
    destination: times.get(seen.destChainId) ?? 0,
  })
}

async function isRefused(
  { seed }: Follower,
  intent: ObservedIntent,
  scenario: Scenario,
  { client }: TrafficChain,
): Promise<boolean> {
  const [first] = namedRecipients({ intent, scenario, seed }).recipients
  if (!first) return false
  return client.readContract({
    address: intent.tokenB,
    abi: blacklistAbi,
    functionName: 'isBlacklisted',
    args: [first],
  })
}

function act(follower: Follower, scene: StepContext, clocks: Clocks): void {
  const { intent, scenario, source } = scene
  const step = findNextIntentStep(intent, scenario, clocks, follower.windows, source.rogue.address)
  if (!step) return
  const taken = takeIntentStep(step, scene)
    .then(() => {
      follower.backoff.delete(intent.id)
      if (step.do === 'store') follower.stored.set(intent.id, performance.now())
    })
    .catch((error: unknown) => {
      backOff(follower, intent.id)
      const what = { intent: String(intent.id), step: step.do, reason: findReason(error) }
      if (!follower.signal.aborted) follower.log.debug(what, 'a step failed')
    })
    .finally(() => follower.busy.delete(intent.id))
  follower.busy.set(intent.id, taken)
}

function isOurs({ observed }: Follower, { sourceChainId, sender }: SeenIntent): boolean {
  const source = observed.find(({ chain }) => chain.chainId === sourceChainId)
  return source !== undefined && positionOf(source.chain.senders, sender) >= 0
}

function backOff({ backoff }: Follower, id: bigint): void {
  const failures = (backoff.get(id)?.failures ?? 0) + 1
  const length = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
  backoff.set(id, { failures, until: performance.now() + length })
}
