import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Batch } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { readBalance } from './readHoldings.ts'

/** A node of several behind one URL may lag behind the one that had the receipt. */
const ATTEMPTS = 4
const PAUSE_MS = 500

export type Unmoved = { safeAddress: Address; token: Address }

/**
 * What a mined batch should have moved, and the node doesn't show to have left the Safes: a token may only say that it moved.
 */
export async function findUnmoved(chain: SweepChain, { safes }: Batch): Promise<Unmoved[]> {
  let unmoved = safes.flatMap(({ safeAddress, moved }) =>
    moved.map(({ token, amount }) => ({ safeAddress, token, amount })),
  )
  for (let attempt = 1; unmoved.length > 0; attempt++) {
    const held: (bigint | null)[] = []
    for (const { safeAddress, token } of unmoved)
      held.push(await readBalance(chain, safeAddress, token).catch(() => null))
    unmoved = unmoved.filter(({ amount }, at) => (held[at] ?? amount) >= amount)
    if (attempt === ATTEMPTS) break
    if (unmoved.length > 0) await pause(PAUSE_MS)
  }
  return unmoved
}
