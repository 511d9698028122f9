export type ReadBlock = { number: number; hash: string }

/**
 * Finds the highest block up to which everything that was read is still on the chain. Bisects, since the ancestors of a
 * block on the chain are on the chain too.
 *
 * @param latestUpTo the latest block read at or below a number; null if there is none
 * @param isOnChain whether the chain has the block; false above its head
 * @param below a block below all that were read; returned when none of those is on the chain
 */
export async function findFork(
  latestUpTo: (number: number) => Promise<ReadBlock | null>,
  isOnChain: (block: ReadBlock) => Promise<boolean>,
  below: number,
): Promise<number> {
  let common = below
  let suspect = (await latestUpTo(Number.MAX_SAFE_INTEGER))?.number ?? common
  while (common < suspect) {
    const middle = Math.ceil((common + suspect) / 2)
    const block = await latestUpTo(middle)
    if (block === null || block.number <= common || (await isOnChain(block))) common = middle
    else suspect = block.number - 1
  }
  return common
}
