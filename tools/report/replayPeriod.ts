import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import { computeStateHash } from '../../core/rows/stateHash.ts'
import type { Header } from '../../services/chain/history/rpcSchemas.ts'
import type { NodesReport } from '../../services/indexer/history/comparedNodes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Delivery, Phase, SourceFacts } from '../../src/intent/intentFacts.ts'
import { fromEventRow } from '../../src/projection/eventRow.ts'
import type { AnyRow, EventRow, TableName } from '../../src/projection/rowTypes.ts'
import { TABLE_NAMES } from '../../src/table/tableShapes.ts'
import type { Progress } from '../progressBar.ts'
import { checkPastBalances } from '../replay/checkBalances.ts'
import type { ConnectedChain } from '../replay/chooseLastBlocks.ts'
import { findOmissions } from '../replay/findOmissions.ts'
import type { ReplayChain } from '../replay/readTargets.ts'
import { extendReplay, type Replay, replayChain } from '../replay/replayChain.ts'
import type { Period } from './choosePeriod.ts'
import { accountKey, composeStatements, copyOwed, type Statement } from './composeStatements.ts'

/** A chain's state at the end of a block. */
export type Moment = { block: Header; stateHash: Hex }

/** An intent with money in escrow at some time in the period: its rows at the period's two ends. */
type IntentPair = { before: SourceFacts | null; after: SourceFacts }

/** A statement, and the contract's balance at the period's ends; null where no node has it. */
export type CheckedStatement = Statement & { heldAtOpening: bigint | null; held: bigint | null }

/** One chain over one period: the source of everything in a report. */
export type Book = {
  chain: ReplayChain
  /** Null: the period begins before the chain's history. */
  opening: Moment | null
  closing: Moment
  statements: CheckedStatement[]
  intents: IntentPair[]
  /** All deliveries on this chain, up to the closing. */
  deliveries: readonly Delivery[]
  /** The period's events that belong to an intent. */
  events: readonly EventRow[]
  rows: Record<TableName, { added: number; changed: number }>
  /** What the logs lack, by the bridge's own state. */
  omissions: string[]
  /** Which nodes were read, and what was believed of them. */
  nodes: NodesReport
}

const TERMINAL_PHASES: ReadonlySet<Phase> = new Set(['completed', 'cancelled', 'expired', 'failed'])

/**
 * Folds a chain's history up to the period's start, copies what is owed then, and continues to its end.
 *
 * @throws ChangedDuringReadError when the chain changed meanwhile
 */
export async function replayPeriod(
  { chain, nodes }: ConnectedChain,
  { opening, closing }: Period,
  progress: Progress,
): Promise<Book> {
  const replay = await replayChain(chain, nodes, opening ?? closing, progress)
  const first = opening === null ? null : await copyState(replay)
  await extendReplay(replay, closing, progress)
  const { store } = replay
  const events = store.rows('event').filter(({ blockNumber }) => blockNumber > (opening ?? -1))
  const held = await readHeld(replay)
  const statements = composeStatements(
    first?.owed ?? new Map(),
    events.map((row) => fromEventRow(row, chain.bridge)),
    store,
  )
  return {
    chain,
    opening: first && { block: first.block, stateHash: first.stateHash },
    closing: { block: replay.block, stateHash: hashState(store) },
    statements: statements.map((statement) => {
      const name = accountKey(statement.holder, statement.token)
      const at = (balances?: ReadonlyMap<string, bigint> | null) => balances?.get(name) ?? null
      return { ...statement, heldAtOpening: at(first?.held), held: at(held) }
    }),
    intents: pairIntents(first?.rows ?? null, store),
    deliveries: store.rows('delivery'),
    events: events.filter(({ intentId }) => intentId !== null),
    rows: countRows(first?.rows ?? null, store),
    omissions: await findOmissions(replay),
    nodes: nodes.report(),
  }
}

type RowSets = ReadonlyMap<TableName, ReadonlySet<AnyRow>>

/** Rows are never changed in place, so a set of them is a copy of the state. */
async function copyState(replay: Replay) {
  const { store, block } = replay
  const rows: RowSets = new Map(TABLE_NAMES.map((table) => [table, new Set(store.rows(table))]))
  return {
    block,
    rows,
    stateHash: hashState(store),
    owed: copyOwed(store),
    held: await readHeld(replay),
  }
}

/** Balances by account; null when no node has the state of the block any more. */
async function readHeld(replay: Replay): Promise<Map<string, bigint> | null> {
  const balances = await checkPastBalances(replay)
  return (
    balances &&
    new Map(balances.map(({ holder, token, held }) => [accountKey(holder, token), held]))
  )
}

function pairIntents(before: RowSets | null, store: InMemoryRowStore): IntentPair[] {
  const old = new Map<bigint, SourceFacts>()
  for (const row of (before?.get('intent') ?? []) as Iterable<SourceFacts>)
    old.set(row.intentId, row)
  return store.rows('intent').flatMap((after) => {
    const known = old.get(after.intentId) ?? null
    return known && TERMINAL_PHASES.has(known.phase) ? [] : [{ before: known, after }]
  })
}

function countRows(before: RowSets | null, store: InMemoryRowStore): Book['rows'] {
  const counts = TABLE_NAMES.map((table) => {
    const old = before?.get(table) ?? new Set()
    const rows: readonly AnyRow[] = store.rows(table)
    const added = rows.length - old.size
    const isNew = rows.filter((row) => !old.has(row)).length
    return [table, { added, changed: isNew - added }]
  })
  return Object.fromEntries(counts)
}

function hashState(store: InMemoryRowStore): Hex {
  return computeStateHash(
    Object.fromEntries(TABLE_NAMES.map((table) => [table, store.rows(table)])),
  )
}
