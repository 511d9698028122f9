import { type RawBuilder, sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { ChainsNow } from '../../store/chains/liveChains.ts'
import { asBytes } from '../../store/database/asBytes.ts'
import type { Db } from '../../store/database/database.ts'
import { loadIntents } from '../../store/intents/findIntent.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import {
  type EffectTransaction,
  type IntentState,
  type Reaction,
  transactionName,
} from './intentState.ts'
import { isOfIntent } from './isOfIntent.ts'

/**
 * Reads all that decides what to do about an intent; null when no ready chain has it.
 *
 * @param chains read before the rows, so that no clock is ahead of them
 */
export async function loadIntentState(
  db: Db,
  chains: ChainsNow,
  key: IntentKey,
): Promise<IntentState | null> {
  const bridge = chains.ready.find(({ chainId }) => chainId === key.sourceChainId)?.bridge
  const [facts] = await loadIntents(db, [key])
  if (!bridge || !facts) return null
  const [blobs, own] = await Promise.all([loadBlobs(db, facts.source), loadOwn(db, key)])
  return { facts, clocks: chains.heads, terms: bridge.terms, ...blobs, ...own }
}

type BlobRow = {
  sealed: Uint8Array | null
  digest: Uint8Array | null
  isSigned: boolean | null
  isCarried: boolean
  isNamed: boolean
  depositBlock: number | null
}

async function loadBlobs(
  db: Db,
  { sourceChainId, intentId, paramsHash }: IntentState['facts']['source'],
): Promise<Pick<IntentState, 'proposal' | 'isCarried' | 'isNamed' | 'depositBlock'>> {
  const ofIntent = sql`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric`
  const { rows } = await sql<BlobRow>`
    with bundle as (
      select sealed, sha256(sealed) as digest, is_signed from app.bundle
      where ${ofIntent} and params_hash = ${asBytes(paramsHash)} and not is_disputed),
    history as (
      select type, block_number, args from cairn.event
      where ${ofIntent} and chain_id = ${sourceChainId}::bigint
        and type in ('IntentAnchored', 'BlobAppended', 'SolverDeposited'))
    select bundle.sealed, bundle.digest, bundle.is_signed as "isSigned",
      exists (select from app.signed s join history on type in ('IntentAnchored', 'BlobAppended')
          and args ->> 'encryptedBlob' = '0x' || encode(coalesce(s.bytes, ''), 'hex')
        where s.source_chain_id = ${sourceChainId}::bigint
          and s.intent_id = ${String(intentId)}::numeric and s.kind in ('anchor', 'append')
          and s.params_hash = ${asBytes(paramsHash)}
          and s.proposal_digest = bundle.digest)
        or exists (select from history where type in ('IntentAnchored', 'BlobAppended')
          and args ->> 'encryptedBlob' = '0x' || encode(bundle.sealed, 'hex')) as "isCarried",
      exists (select from history where type = 'BlobAppended' and args ->> 'kind' = '4') as "isNamed",
      (select max(block_number)::bigint from history where type = 'SolverDeposited') as "depositBlock"
    from (select) as one left join bundle on true`.execute(db)
  const { sealed = null, digest = null, isSigned, ...more } = rows[0] ?? NOTHING
  const proposal = sealed &&
    digest && {
      sealed: bytesToHex(sealed),
      digest: bytesToHex(digest),
      isSigned: isSigned === true,
    }
  return { ...more, proposal }
}

const NOTHING: BlobRow = {
  ...{ sealed: null, digest: null, isSigned: null, isCarried: false, isNamed: false },
  depositBlock: null,
}

type OwnRows = {
  transactions: (Omit<EffectTransaction, 'changedAt'> & {
    kind: string
    effect: string
    changedAt: number
  })[]
  reactions: Reaction[]
}

/** What we have done about the intent so far. */
async function loadOwn(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<Pick<IntentState, 'transactions' | 'reactions'>> {
  const { rows } = await ownRowsQuery({ sourceChainId, intentId }).execute(db)
  const { transactions = [], reactions = [] } = rows[0] ?? {}
  return {
    transactions: new Map(
      transactions.map(({ kind, effect, ...row }) => [transactionName(kind, effect), row]),
    ),
    reactions: new Map(reactions.map((row) => [row.kind, row])),
  }
}

/** The statement for what we have done about an intent. */
export function ownRowsQuery({ sourceChainId, intentId }: IntentKey): RawBuilder<OwnRows> {
  const id = String(intentId)
  const millis = (column: string) =>
    sql`(extract(epoch from ${sql.ref(column)}) * 1000)::double precision`
  return sql<OwnRows>`
    select
      (select coalesce(json_agg(json_build_object('id', t.id, 'kind', t.kind, 'effect', t.effect,
          'state', t.state, 'round', t.round, 'problem', t.problem, 'blockNumber', t.block_number,
          'changedAt', ${millis('t.changed_at')})), '[]')
        from app.transaction t
        where t.chain_id = ${sourceChainId}::bigint and split_part(t.effect, ':', 1) = ${id}
          and ${isOfIntent(intentId)}
          and t.kind in ('anchor', 'append', 'reveal', 'settle', 'undelivered', 'refund'))
        as transactions,
      (select coalesce(json_agg(json_build_object('kind', r.kind, 'state', r.state, 'reason', r.reason,
          'subject', r.subject, 'attempts', r.attempts, 'nextTryAt', ${millis('r.next_try_at')})), '[]')
        from app.reaction r
        where r.source_chain_id = ${sourceChainId}::bigint and r.intent_id = ${id}::numeric)
        as reactions`
}
