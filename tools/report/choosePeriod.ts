import { ToolError } from '../commandLine.ts'
import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import { type ConnectedChain, findLastBlockBy } from '../replay/chooseLastBlocks.ts'
import { fetchLastBlock } from '../replay/replayChain.ts'
import type { ReportOptions } from './parseOptions.ts'
import type { Point } from './parsePointInTime.ts'

/** The period on one chain: after the block `opening`, up to the block `closing`. */
export type Period = {
  /** Null: before the chain's history begins. */
  opening: number | null
  closing: number
}

const DAY_SECONDS = 86_400

/**
 * The blocks between which each chain is reported, by chain name.
 *
 * @throws ToolError when a chain hasn't reached the end, no chain has reached the start, or the period ends before it
 *   starts
 */
export async function choosePeriod(
  chains: readonly ConnectedChain[],
  { from, to }: Pick<ReportOptions, 'from' | 'to'>,
): Promise<Map<string, Period>> {
  requireKnown('--from', from, chains)
  requireKnown('--to', to, chains)
  const begin = await findInstant(chains, from, Math.min)
  if (from?.kind === 'time') await requireBegun(chains, from.seconds)
  const end = await findInstant(chains, to, Math.max)
  const periods = chains.map(async (asked) => {
    const opening = await findOpening(asked, from, begin)
    const closing = await findClosing(asked, to, end, opening)
    if (opening !== null && closing < opening) {
      throw new ToolError(
        `on ${asked.chain.name} the period ends before it starts (block ${closing} is before block ${opening + 1}): choose a later --to`,
      )
    }
    return [asked.chain.name, { opening, closing }] as const
  })
  return new Map(await Promise.all(periods))
}

async function findOpening(
  { chain, nodes }: ConnectedChain,
  from: Point | null,
  begin: number | null,
): Promise<number | null> {
  if (from === null) return null
  const named = findBlock(from, chain.name)
  const opening =
    named === null ? await findLastBlockBy(nodes, chain, (begin as number) - 1) : named - 1
  return opening < chain.startBlock ? null : opening
}

async function findClosing(
  { chain, nodes }: ConnectedChain,
  to: Point | null,
  end: number | null,
  opening: number | null,
): Promise<number> {
  if (to === null) {
    const head = await nodes.head()
    // The chain may have had no block since the period started elsewhere.
    return Math.max(head.number - (chain.confirmations ?? 0), opening ?? 0)
  }
  const named = findBlock(to, chain.name)
  if (named !== null) return (await fetchLastBlock(chain, nodes, named)).number
  if (to.kind === 'time') await requirePassed({ chain, nodes }, end as number)
  return findLastBlockBy(nodes, chain, end as number)
}

/** One chain may have had no block since the start, but not all. */
async function requireBegun(chains: readonly ConnectedChain[], begin: number): Promise<void> {
  const heads = await Promise.all(chains.map(({ nodes }) => nodes.head()))
  const latest = Math.max(...heads.map(({ timestamp }) => timestamp))
  if (latest >= begin) return
  throw new ToolError(
    `the period hasn't begun: the latest block is from ${formatIsoTimestamp(latest)}. Choose an earlier --from`,
  )
}

/** A later block could still belong to the period. */
async function requirePassed({ chain, nodes }: ConnectedChain, end: number): Promise<void> {
  const { timestamp } = await nodes.head()
  if (timestamp > end) return
  throw new ToolError(
    `the period isn't over on ${chain.name}: its latest block is from ${formatIsoTimestamp(timestamp)}. Choose an earlier --to`,
  )
}

/** The instant at which a period starts or (inclusively) ends, for chains without a named block. */
async function findInstant(
  chains: readonly ConnectedChain[],
  point: Point | null,
  choose: (...times: number[]) => number,
): Promise<number | null> {
  if (point === null) return null
  if (point.kind === 'time') {
    const isWholeDay = point.isDay && choose === Math.max
    return isWholeDay ? point.seconds + DAY_SECONDS - 1 : point.seconds
  }
  if (point.all !== null) return null
  const named = chains.filter(({ chain }) => point.byChain.has(chain.name))
  const times = named.map(async ({ chain, nodes }) => {
    return (await fetchLastBlock(chain, nodes, findBlock(point, chain.name))).timestamp
  })
  return choose(...(await Promise.all(times)))
}

function findBlock(point: Point, name: string): number | null {
  return point.kind === 'time' ? null : (point.byChain.get(name) ?? point.all)
}

function requireKnown(
  option: string,
  point: Point | null,
  chains: readonly ConnectedChain[],
): void {
  if (point?.kind !== 'blocks') return
  const names = chains.map(({ chain }) => chain.name)
  const unknown = [...point.byChain.keys()].find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new ToolError(
    `${option}: ${unknown} isn't one of the reported chains (${names.join(', ')})`,
  )
}
