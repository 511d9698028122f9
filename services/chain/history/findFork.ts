/** A block that was read, by number and hash. */
export type ReadBlock = { number: number; hash: string }

/**
 * The highest block up to which everything that was read is still on the chain. It bisects: all ancestors of
 * a block on the chain are on it too.
 *
 * @param latestUpTo the latest block that was read, at or below a number; null when none was
 * @param isOnChain whether the chain has it; false above its head
 * @param below a block below all that were read: the answer when none of them is left
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
