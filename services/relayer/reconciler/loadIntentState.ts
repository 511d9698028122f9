import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { ChainsNow } from '../../store/chains/chainStateCache.ts'
import { batchReadsOf } from '../../store/database/batchReads.ts'
import { arrayParameter } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import { type IntentKey, intentName } from '../../store/intents/storedIntent.ts'
import {
  type EffectTransaction,
  type IntentState,
  type Reaction,
  transactionName,
} from './reconcilerEffect.ts'

/** Concurrent reads, and the maximum number of intents per read. */
const TOGETHER = { atOnce: 4, largest: 64, retriesAlone: true }

type LoadedIntentState = IntentState & {
  /** The database's time, which dates our transactions and records. Unix milliseconds. */
  now: number
}

/**
 * Loads everything that decides what an intent needs; null if no ready chain has it. Batches requests made at about
 * the same time.
 *
 * @param chains read before the rows, so that no clock is ahead of them
 */
export async function loadIntentState(
  db: Db,
  chains: ChainsNow,
  key: IntentKey,
): Promise<LoadedIntentState | null> {
  const bridge = chains.ready.find(({ chainId }) => chainId === key.sourceChainId)?.bridge
  const rows = await rowsOf(db, key)
  if (!bridge || !rows) return null
  return { clocks: chains.heads, terms: bridge.terms, ...rows }
}

type IntentRows = Omit<LoadedIntentState, 'clocks' | 'terms'>

const rowsOf = batchReadsOf(TOGETHER, loadRows)

async function loadRows(db: Db, keys: readonly IntentKey[]): Promise<(IntentRows | null)[]> {
  const found = new Map(
    (await loadIntents(db, keys)).map((one) => [intentName(one.source), one] as const),
  )
  const intents = [...found.values()]
  if (intents.length === 0) return keys.map(() => null)
  const sources = intents.map(({ source }) => source)
  const [blobs, own] = await Promise.all([loadBlobs(db, sources), loadOwn(db, sources)])
  const rows = new Map(
    intents.map((facts, at) => {
      const ofOne = { facts, ...(blobs[at] as Blobs), ...(own[at] as Own) }
      return [intentName(facts.source), ofOne] as const
    }),
  )
  return keys.map((key) => rows.get(intentName(key)) ?? null)
}

type Blobs = Pick<IntentState, 'proposal' | 'isCarried' | 'isNamed' | 'depositBlock' | 'blobBlock'>
type Own = Pick<LoadedIntentState, 'transactions' | 'reactions' | 'now'>

type BlobRow = {
  sealed: Hex | null
  digest: Hex | null
  isSigned: boolean | null
  isCarried: boolean
  isNamed: boolean
  depositBlock: number | null
  blobBlock: number | null
}

async function loadBlobs(db: Db, sources: readonly SourceFacts[]): Promise<Blobs[]> {
  const ofIntent = sql`source_chain_id = requested.chain and intent_id = requested.id`
  const { rows } = await sql<BlobRow>`
    select found.* from ${requestedRows(sources)} cross join lateral (
    with bundle as (
      select sealed, sha256(sealed) as digest, is_signed from app.bundle
      where ${ofIntent} and params_hash = requested.params_hash and not is_disputed),
    history as (
      select type, block_number, args from cairn.event
      where ${ofIntent} and chain_id = requested.chain
        and type in ('IntentAnchored', 'BlobAppended', 'SolverDeposited'))
    select bundle.sealed, bundle.digest, bundle.is_signed as "isSigned",
      exists (select from app.signed s join history on type in ('IntentAnchored', 'BlobAppended')
          and args ->> 'encryptedBlob' = '0x' || encode(coalesce(s.bytes, ''), 'hex')
        where s.source_chain_id = requested.chain and s.intent_id = requested.id
          and s.kind in ('anchor', 'append') and s.params_hash = requested.params_hash
          and s.proposal_digest = bundle.digest)
        or exists (select from history where type in ('IntentAnchored', 'BlobAppended')
          and args ->> 'encryptedBlob' = '0x' || encode(bundle.sealed, 'hex')) as "isCarried",
      exists (select from history where type = 'BlobAppended' and args ->> 'kind' = '4') as "isNamed",
      (select max(block_number)::bigint from history where type = 'SolverDeposited') as "depositBlock",
      (select max(block_number)::bigint from history where type <> 'SolverDeposited') as "blobBlock"
    from (select) as one left join bundle on true) as found
    order by requested.position`.execute(db)
  return rows.map(({ sealed, digest, isSigned, ...more }) => {
    const proposal = sealed && digest && { sealed, digest, isSigned: isSigned === true }
    return { ...more, proposal }
  })
}

/** The requested intents as the CTE `requested`: `chain`, `id`, `params_hash`, and their `position`. */
function requestedRows(
  sources: readonly Pick<SourceFacts, 'sourceChainId' | 'intentId' | 'paramsHash'>[],
) {
  const chains = sources.map(({ sourceChainId }) => sourceChainId)
  const ids = sources.map(({ intentId }) => String(intentId))
  const hashes = sources.map(({ paramsHash }) => paramsHash.slice(2))
  return sql`(select chain, id, decode(hash, 'hex') as params_hash, position
    from unnest(${arrayParameter(chains, 'bigint')}, ${arrayParameter(ids, 'numeric')},
      ${arrayParameter(hashes, 'text')})
      with ordinality as given (chain, id, hash, position)) as requested`
}

type OwnRows = {
  transactions: (Omit<EffectTransaction, 'changedAt'> & {
    kind: string
    effect: string
    changedAt: number
  })[]
  reactions: Reaction[]
  now: number
}

/** Our transactions and records for these intents. */
async function loadOwn(db: Db, sources: readonly SourceFacts[]): Promise<Own[]> {
  const { rows } = await ownRowsQuery(sources).execute(db)
  return rows.map(({ transactions, reactions, now }) => ({
    now,
    transactions: new Map(
      transactions.map(({ kind, effect, ...row }) => [transactionName(kind, effect), row]),
    ),
    reactions: new Map(reactions.map((row) => [row.kind, row])),
  }))
}

/** The SQL of `loadIntentState`, in the order of the intents. */
export function ownRowsQuery(
  sources: readonly Pick<SourceFacts, 'sourceChainId' | 'intentId' | 'paramsHash'>[],
): RawBuilder<OwnRows> {
  const millisOf = (moment: RawBuilder<unknown>) =>
    sql`(extract(epoch from ${moment}) * 1000)::double precision`
  const millis = (column: string) => millisOf(sql.ref(column))
  return sql<OwnRows>`
    select
      (select coalesce(json_agg(json_build_object('id', t.id, 'kind', t.kind, 'effect', t.effect,
          'state', t.state, 'round', t.round, 'problem', t.problem, 'blockNumber', t.block_number,
          'changedAt', ${millis('t.changed_at')})), '[]')
        from app.transaction t
        where t.chain_id = requested.chain and ${isOfIntent(sql`requested.id::text`)}
          and t.kind in ('anchor', 'append', 'reveal', 'settle', 'undelivered', 'refund'))
        as transactions,
      (select coalesce(json_agg(json_build_object('kind', r.kind, 'state', r.state, 'reason', r.reason,
          'subject', r.subject, 'attempts', r.attempts, 'triedAt', ${millis('r.tried_at')},
          'nextTryAt', ${millis('r.next_try_at')})), '[]')
        from app.reaction r
        where r.source_chain_id = requested.chain and r.intent_id = requested.id)
        as reactions,
      ${millisOf(sql`clock_timestamp()`)} as now
    from ${requestedRows(sources)} order by requested.position`
}

/**
 * SQL condition on `app.transaction t`: its effect belongs to the intent with this id (text). It is stated twice, as
 * the id within the effect and as a range of effects, so that either index finds only the intent's rows.
 */
export function isOfIntent(id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`split_part(t.effect, ':', 1) = ${id}
    and t.effect ~>=~ (${id} || ':') and t.effect ~<~ (${id} || ';')`
}
