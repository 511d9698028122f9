import type { Logger } from 'pino'
import { createRpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { describeRpcPoolEvent, type RpcPoolEvent } from '../../chain/rpcPool/rpcPoolEvent.ts'
import { serveRpcProxy } from '../../chain/rpcPool/serveRpcProxy.ts'
import type { ChainConfig } from '../../config/chains.ts'
import { describePrefillResult } from './describePrefillResult.ts'
import { loadPonderInternals } from './ponderInternals.ts'
import { type PrefillResult, prefill } from './prefill.ts'
import { formatPrefillProgress, type PrefillProgress } from './prefillProgress.ts'

/** Copies of the proxy's URL for Ponder, which allows itself 20 requests a second for each. */
const urlCopies = 25
/** Blocks behind the head whose hash the proxy compares between providers, where Ponder's own depth is unknown. */
const cautiousFinality = 240
const logEveryMs = 5_000
const reportEveryMs = 500

export type ChainSource = {
  /** The chain as Ponder is to be given it: its RPC URLs lead to our proxy. */
  chain: ChainConfig
  /**
   * Fills Ponder's cache.
   *
   * @param onProgress called about twice a second, and at the end
   * @throws on database errors, and the signal's reason when it is aborted. Trouble with providers is logged
   *   and left to Ponder.
   */
  fill(
    signal: AbortSignal,
    onProgress?: (progress: PrefillProgress) => void,
  ): Promise<PrefillResult>
  /** From now on Ponder's questions are answered; until then they wait. */
  open(): void
  close(): Promise<void>
}

/**
 * Opens the proxy in front of a chain's RPC providers, for one run of its Ponder: fill the cache, start
 * Ponder when that is done or nearly so, and `open` it when the tables are ready to be taken over.
 */
export async function openSource({
  chain,
  databaseUrl,
  log,
}: {
  chain: ChainConfig
  databaseUrl: string
  log: Logger
}): Promise<ChainSource> {
  const observe = (event: RpcPoolEvent) =>
    log[levelOf(event)]({ chain: chain.name }, describeRpcPoolEvent(event))
  const pool = createRpcPool({ ...chain, observe })
  // Not waited for: it takes a while, in which a Ponder can load itself.
  const finality = loadPonderInternals().then(
    (ponder) => ponder.finalityBlockCount(chain.chainId),
    () => cautiousFinality,
  )
  const opening = Promise.withResolvers<void>()
  const proxy = await serveRpcProxy({ pool, finality, observe, opening: opening.promise })
  return {
    chain: { ...chain, rpcUrls: proxy.urls(urlCopies) },
    open: opening.resolve,
    close: () => proxy.close(),
    async fill(signal, onProgress = () => {}) {
      const toLog = throttled(logEveryMs, performance.now(), (progress: PrefillProgress) =>
        log.info({ chain: chain.name }, formatPrefillProgress(progress)),
      )
      const report = throttled(reportEveryMs, Number.NEGATIVE_INFINITY, onProgress)
      const result = await prefill({
        ...{ chain, databaseUrl, pool, signal },
        onProgress: (progress) => {
          toLog(progress)
          // However soon after the one before it: what comes next counts on from the end.
          if (progress.doneBlocks === progress.totalBlocks) onProgress(progress)
          else report(progress)
        },
      })
      const { level, text } = describePrefillResult(chain.name, result)
      log[level]({ chain: chain.name }, text)
      return result
    },
  }
}

function levelOf({ type }: RpcPoolEvent): 'warn' | 'info' | 'debug' {
  if (type === 'provider-recovered' || type === 'provider-readmitted' || type === 'providers-back')
    return 'info'
  // A single failure is followed by another provider or by a retry; only lasting trouble is news.
  return type === 'provider-failed' ? 'debug' : 'warn'
}

function throttled<T>(everyMs: number, since: number, act: (value: T) => void): (value: T) => void {
  let last = since
  return (value) => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    act(value)
  }
}
