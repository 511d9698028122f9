import type { PrefillResult } from './prefill.ts'

/** A prefill's end as one line for a log, and how loud it is. */
export function describePrefillResult(
  chain: string,
  result: PrefillResult,
): { level: 'debug' | 'info' | 'warn'; text: string } {
  switch (result.status) {
    case 'filled': {
      const seconds = (result.elapsedMs / 1000).toFixed(1)
      const confirmed = `${result.confirmedRanges} of ${result.ranges} ranges confirmed by a second provider`
      const text = `${chain}: cached ${result.logs} logs up to block ${result.toBlock} in ${seconds} s (${confirmed})`
      return { level: 'info', text }
    }
    case 'complete':
      return {
        level: 'debug',
        text: `${chain}: everything up to block ${result.toBlock} is cached`,
      }
    case 'refused':
      return {
        level: 'warn',
        text: `${chain}: no prefill, Ponder syncs as usual: ${result.reason}`,
      }
    case 'contradicted': {
      const { blockNumber, cachedHash, chainHash } = result
      const text = `${chain}: no prefill: block ${blockNumber} is ${cachedHash} in the cache and ${chainHash} on the chain`
      return { level: 'warn', text }
    }
    case 'unfinished':
      return {
        level: 'warn',
        text: `${chain}: prefill stopped, Ponder fetches the rest: ${result.reason}`,
      }
  }
}
