import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Batch } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { readBalance } from './readHoldings.ts'

/** Several nodes may answer at one URL, and another one may lag behind the one that had the receipt. */
const ATTEMPTS = 4
const PAUSE_MS = 500

export type Unmoved = { safeAddress: Address; token: Address }
type Expected = Unmoved & { amount: bigint }

/**
 * Tokens that a mined batch should have moved, but that by their balances haven't left the Safes: a token can log a transfer that
 * it didn't make.
 *
 * @param block the batch's
 */
export async function findUnmoved(
  chain: SweepChain,
  { safes }: Batch,
  block: bigint,
): Promise<Unmoved[]> {
  let unmoved: Expected[] = safes.flatMap(({ safeAddress, moved }) =>
    moved.map(({ token, amount }) => ({ safeAddress, token, amount })),
  )
  for (let attempt = 1; unmoved.length > 0; attempt++) {
    const left: Expected[] = []
    for (const one of unmoved) if (!(await hasLeft(chain, one, block))) left.push(one)
    unmoved = left
    if (attempt === ATTEMPTS) break
    if (unmoved.length > 0) await pause(PAUSE_MS)
  }
  return unmoved
}

async function hasLeft(
  chain: SweepChain,
  { safeAddress, token, amount }: Expected,
  block: bigint,
): Promise<boolean> {
  const read = (at: bigint) => readBalance(chain, safeAddress, token, at).catch(() => null)
  const after = await read(block)
  if (after === null) return false
  // The balance may have been higher than the amount moved: then it must have fallen.
  return after < amount || after < ((await read(block - 1n)) ?? 0n)
}
