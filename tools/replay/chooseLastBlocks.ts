import type { ComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import type { ReplayOptions } from './parseOptions.ts'
import type { ReplayChain } from './readTargets.ts'
import { fetchLastBlock } from './replayChain.ts'

/** A chain to replay, and its nodes. */
export type ConnectedChain = { chain: ReplayChain; nodes: ComparedNodes }

/**
 * The block at which each chain's replay ends, by name; null for its head. If `--as-of` names only other chains, a chain ends
 * at the time of the latest named block.
 */
export async function chooseLastBlocks(
  chains: readonly ConnectedChain[],
  { asOf, asOfChain }: Pick<ReplayOptions, 'asOf' | 'asOfChain'>,
): Promise<Map<string, number | null>> {
  const named = chains.filter(({ chain }) => asOfChain.has(chain.name))
  const times = named.map(async ({ chain, nodes }) => {
    return (await fetchLastBlock(chain, nodes, asOfChain.get(chain.name) as number)).timestamp
  })
  const moment = named.length > 0 && asOf === null ? Math.max(...(await Promise.all(times))) : null
  const blocks = chains.map(async ({ chain, nodes }) => {
    const block = asOfChain.get(chain.name) ?? asOf
    const last = block ?? (moment === null ? null : await findLastBlockBy(nodes, chain, moment))
    return [chain.name, last] as const
  })
  return new Map(await Promise.all(blocks))
}

/** The last block at `moment` or earlier; the block before the start if there is none. */
export async function findLastBlockBy(
  nodes: ComparedNodes,
  chain: ReplayChain,
  moment: number,
): Promise<number> {
  let late = (await nodes.head()).number + 1
  let early = chain.startBlock - 1
  while (late - early > 1) {
    const middle = early + Math.floor((late - early) / 2)
    const { timestamp } = await nodes.header(middle)
    if (timestamp <= moment) early = middle
    else late = middle
  }
  return Math.max(early, 0)
}
