import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobsOnChain } from './loadBlobsOnChain.ts'

/** Where a stored bundle is: on its way to the chain, there, or not there when somebody deposited. */
export type BundleStanding = 'waiting' | 'on_chain' | 'too_late'

/** Where a stored blob is, by the chain. What was on chain before the deposit counts, the last of it. */
export function bundleStanding(
  sealed: Hex,
  { inTime, depositBlock }: BlobsOnChain,
): BundleStanding {
  if (inTime.some(({ blob }) => blob === sealed)) return 'on_chain'
  return depositBlock === null ? 'waiting' : 'too_late'
}
