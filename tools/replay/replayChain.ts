import { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import { ChangedDuringReadError } from '../../services/chain/history/historyErrors.ts'
import { prefetchOne } from '../../services/chain/history/prefetchOne.ts'
import type { Header } from '../../services/chain/history/rpcSchemas.ts'
import type { ComparedNodes } from '../../services/indexer/history/comparedNodes.ts'
import { fetchComparedEvents } from '../../services/indexer/history/fetchComparedEvents.ts'
import { ToolError } from '../commandLine.ts'
import type { Progress } from '../progressBar.ts'
import type { ReplayChain } from './readTargets.ts'

/** A chain's history, folded up to a block. `extendReplay` continues it. */
export type Replay = {
  chain: ReplayChain
  nodes: ComparedNodes
  store: InMemoryRowStore
  /** The last block that was folded. */
  block: Header
  events: number
  /** Milliseconds in the fold alone, and in total. */
  foldMs: number
  totalMs: number
}

/**
 * Folds a bridge's history from its start block to `to`.
 *
 * @param to last block, or null for the head
 * @throws ChangedDuringReadError when the chain changed meanwhile, ToolError when it hasn't reached `to`
 */
export async function replayChain(
  chain: ReplayChain,
  nodes: ComparedNodes,
  to: number | null,
  progress: Progress,
): Promise<Replay> {
  nodes.forget()
  const block = await fetchLastBlock(chain, nodes, to)
  const store = new InMemoryRowStore()
  const replay: Replay = { chain, nodes, store, block, events: 0, foldMs: 0, totalMs: 0 }
  await fold(replay, chain.startBlock, block, progress)
  return replay
}

/**
 * The header of a block; null for the head.
 *
 * @throws ToolError when the chain hasn't reached the block
 */
export async function fetchLastBlock(
  { name }: ReplayChain,
  nodes: ComparedNodes,
  number: number | null,
): Promise<Header> {
  const head = await nodes.head()
  if (number !== null && number > head.number) {
    throw new ToolError(`${name} has no block ${number} yet: its head is block ${head.number}`)
  }
  return number === null || number === head.number ? head : nodes.header(number)
}

/** Folds the blocks after the replay's last one, up to `to`. */
export async function extendReplay(replay: Replay, to: number, progress: Progress): Promise<void> {
  const from = replay.block.number + 1
  if (to < from) return
  const before = await replay.nodes.header(replay.block.number)
  if (before.hash !== replay.block.hash) throw replaced(replay.chain, before.number)
  const block = await replay.nodes.header(to)
  await fold(replay, from, block, progress)
  replay.block = block
}

async function fold(replay: Replay, from: number, last: Header, progress: Progress): Promise<void> {
  const { chain, nodes, store } = replay
  const startedAt = performance.now()
  const parts = prefetchOne(fetchComparedEvents(nodes, chain, { from, to: last.number }, last))
  for await (const { to, events } of parts) {
    const foldStartedAt = performance.now()
    for (const event of events) store.fold(event)
    replay.foldMs += performance.now() - foldStartedAt
    replay.events += events.length
    progress.show({ chain: chain.name, from, to: last.number, at: to, events: replay.events })
  }
  replay.totalMs += performance.now() - startedAt
  // The same last block before and after means the same history below it.
  const after = await nodes.header(last.number)
  if (after.hash !== last.hash) throw replaced(chain, last.number)
}

function replaced({ name }: ReplayChain, block: number): ChangedDuringReadError {
  return new ChangedDuringReadError(`block ${block} of ${name} was replaced during the replay`)
}
