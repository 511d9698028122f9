import { cachedUpTo } from '../prefill/cachedUpTo.ts'
import { loadPonderInternals, UnknownPonderError } from '../prefill/ponderInternals.ts'
import type { Supervision } from '../supervision.ts'
import { type FoldResult, foldHistory } from './foldHistory.ts'

/**
 * Folds what Ponder's cache has of the chain into the chain's tables, before its Ponder starts.
 *
 * @param onProgress told the share of the cached blocks that is done, 0 to 1
 */
export async function foldFinal(
  supervision: Supervision,
  signal: AbortSignal,
  onProgress: (share: number) => void,
): Promise<void> {
  const { chain, schema, databaseUrl, log } = supervision
  const ponder = await loadPonderInternals().catch((error: Error) => {
    if (error instanceof UnknownPonderError) return null
    throw error
  })
  const toBlock = ponder && (await cachedUpTo(databaseUrl, chain, ponder))
  if (ponder === null || toBlock === null) return
  const result = await foldHistory({
    ...{ chain, schema, databaseUrl, ponder, toBlock, signal },
    onProgress: ({ blockNumber }) =>
      onProgress((blockNumber - chain.startBlock + 1) / (toBlock - chain.startBlock + 1)),
  })
  const { level, text } = describe(chain.name, result)
  log[level]({ chain: chain.name }, text)
}

function describe(name: string, result: FoldResult): { level: 'info' | 'debug'; text: string } {
  const { events, elapsedMs } = result
  const speed = Math.round(events / Math.max(elapsedMs / 1000, 0.001))
  const done = `${name}: ${events} events folded (${speed}/s)`
  if (result.status === 'folded') return { level: events === 0 ? 'debug' : 'info', text: done }
  const level = events === 0 ? 'debug' : 'info'
  return { level, text: `${done}; the rest is left to Ponder: ${result.reason}` }
}
