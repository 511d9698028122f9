import { setTimeout as pause } from 'node:timers/promises'
import { findReason } from '../../services/chain/accountSender.ts'
import { repeat } from '../../services/process/repeat.ts'
import { createIntent } from './createIntent.ts'
import { readCreatedIntentCount } from './readCreatedIntentCount.ts'
import { OPENING } from './scenario.ts'
import { drawFor } from './seededRandom.ts'
import type { TrafficChain } from './trafficChainClient.ts'
import type { TrafficOptions } from './trafficOptions.ts'

/** Milliseconds between checks whether the relayer is ready. */
const READY_RETRY = 250

/** Milliseconds until the opening is retried; longer than a block takes. */
const OPENING_RETRY = 2_000

/** Sends the opening on every chain at once, then one intent after another at the requested rate. */
export async function sendIntents(options: TrafficOptions, signal: AbortSignal): Promise<void> {
  const { chains, perMinute, log } = options
  await relayerReady(options, signal)
  await Promise.all(chains.map((chain) => openChain(options, chain, signal)))
  const sent = new Map<number, number>()
  await pause(60_000 / perMinute, undefined, { signal }).catch(() => {})
  const onProblem = (error: unknown) =>
    log.debug({ reason: findReason(error) }, 'sending an intent failed')
  await repeat(60_000 / perMinute, onProblem, () => sendNext(options, sent), { signal }).ended
}

/**
 * Waits until the relayer knows every chain: an intent created earlier could end before any solver learns of it.
 */
async function relayerReady({ relayer, log }: TrafficOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const page = await relayer.intents({ limit: 1 }).catch((error: unknown) => {
      log.debug({ reason: findReason(error) }, 'the relayer is not ready')
      return null
    })
    if (page?.notIndexedYet.length === 0) return
    await pause(READY_RETRY, undefined, { signal }).catch(() => {})
  }
}

/**
 * Sends what is missing of a chain's opening: everything on a fresh chain, nothing on a resumed one.
 */
async function openChain(
  options: TrafficOptions,
  chain: TrafficChain,
  signal: AbortSignal,
): Promise<void> {
  const { log } = options
  while (!signal.aborted) {
    try {
      const first = (await readCreatedIntentCount(chain)) + 1
      // One at a time: the node mines, and so numbers, them in this order.
      for (let sequence = first; sequence <= OPENING.length; sequence++)
        await createIntent(options, chain, destinationOf(options, chain, sequence), sequence)
      return
    } catch (error) {
      if (!signal.aborted) log.debug({ reason: findReason(error) }, 'the first intents are delayed')
      await pause(OPENING_RETRY, undefined, { signal }).catch(() => {})
    }
  }
}

async function sendNext(options: TrafficOptions, sent: Map<number, number>): Promise<void> {
  const { chains, seed } = options
  const latest = await Promise.all(chains.map(readCreatedIntentCount))
  // Count those that were sent but aren't mined yet too.
  const last = chains.map(({ chainId }, at) => Math.max(latest[at] ?? 0, sent.get(chainId) ?? 0))
  const total = last.reduce((sum, sequence) => sum + sequence, 0)
  const chain = drawFor(seed, 'direction', total).pick(chains)
  const sequence = (last[chains.indexOf(chain)] ?? 0) + 1
  await createIntent(options, chain, destinationOf(options, chain, sequence), sequence)
  sent.set(chain.chainId, sequence)
}

function destinationOf(
  { chains, seed }: TrafficOptions,
  source: TrafficChain,
  sequence: number,
): TrafficChain {
  const others = chains.filter((chain) => chain !== source)
  return drawFor(seed, 'destination', source.chainId, sequence).pick(others)
}
