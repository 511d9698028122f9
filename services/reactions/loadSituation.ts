import { type RawBuilder, sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import { loadIntents } from '../store/findIntent.ts'
import type { ChainsNow } from '../store/liveChains.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { isBundleMissing } from './isBundleMissing.ts'
import {
  type EffectKind,
  type EffectTransaction,
  type Reaction,
  type Situation,
  transactionName,
} from './situation.ts'

/**
 * Reads all that decides what to do about an intent; null when no ready chain has it.
 *
 * @param chains read before the rows, so that no clock is ahead of them
 */
export async function loadSituation(
  db: Db,
  chains: ChainsNow,
  key: IntentKey,
): Promise<Situation | null> {
  const bridge = chains.ready.find(({ chainId }) => chainId === key.sourceChainId)?.bridge
  const [facts] = await loadIntents(db, [key])
  if (!bridge || !facts) return null
  const [blobs, transactions, reactions] = await Promise.all([
    loadBlobs(db, key),
    loadTransactions(db, key),
    loadReactions(db, key),
  ])
  return { facts, clocks: chains.heads, terms: bridge.terms, ...blobs, transactions, reactions }
}

async function loadBlobs(db: Db, { sourceChainId, intentId }: IntentKey) {
  const id = String(intentId)
  const ofIntent = (table: RawBuilder<unknown>) =>
    sql`${table}.source_chain_id = ${sourceChainId}::bigint and ${table}.intent_id = ${id}::numeric`
  const { rows } = await sql<{ creationBlob: Hex | null; hasBundle: boolean }>`
    select (select e.args ->> 'encryptedBlob' from cairn.event e
        where e.source_chain_id = ${sourceChainId}::bigint and e.intent_id = ${id}::numeric
          and e.type = 'IntentCreated' limit 1) as "creationBlob",
      exists (select from app.bundle b
        where b.source_chain_id = ${sourceChainId}::bigint and b.intent_id = ${id}::numeric)
        as "hasBundle"`.execute(db)
  const waiting = await sql<{ digest: Uint8Array; sealed: Uint8Array }>`
    select digest, sealed from (
      select sha256(b.sealed) as digest, b.sealed, 0 as sequence from app.bundle b
      where ${ofIntent(sql`b`)} and ${isBundleMissing(sql`b`)}
      union all
      select blob.digest, blob.sealed, blob.sequence from app.appended_blob blob
      where ${ofIntent(sql`blob`)} and not exists (
        select from cairn.event e where e.source_chain_id = blob.source_chain_id
          and e.intent_id = blob.intent_id and e.type = 'BlobAppended'
          and e.args ->> 'encryptedBlob' = '0x' || encode(blob.sealed, 'hex'))
    ) as waiting order by sequence`.execute(db)
  return {
    creationBlob: rows[0]?.creationBlob ?? ('0x' as const),
    hasBundle: rows[0]?.hasBundle ?? false,
    toAppend: waiting.rows.map(({ digest, sealed }) => ({
      digest: bytesToHex(digest),
      sealed: bytesToHex(sealed),
    })),
  }
}

async function loadTransactions(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<Map<string, EffectTransaction>> {
  const id = String(intentId)
  const { rows } = await sql<
    Omit<EffectTransaction, 'changedAt'> & { kind: string; effect: string; changedAt: Date }
  >`
    select id, kind, effect, state, round, problem, block_number as "blockNumber",
      changed_at as "changedAt"
    from app.transaction
    where chain_id = ${sourceChainId}::bigint and (kind in ('settle', 'refund') and effect = ${id}
      or kind in ('anchor', 'append') and effect like ${`${id}:%`})`.execute(db)
  return new Map(
    rows.map(({ kind, effect, changedAt, ...row }) => [
      transactionName(kind, effect),
      { ...row, changedAt: changedAt.getTime() },
    ]),
  )
}

async function loadReactions(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<Map<EffectKind, Reaction>> {
  const { rows } = await sql<Omit<Reaction, 'nextTryAt'> & { nextTryAt: Date | null }>`
    select kind, state, reason, subject, attempts, next_try_at as "nextTryAt" from app.reaction
    where source_chain_id = ${sourceChainId}::bigint
      and intent_id = ${String(intentId)}::numeric`.execute(db)
  return new Map(
    rows.map((row) => [row.kind, { ...row, nextTryAt: row.nextTryAt?.getTime() ?? null }]),
  )
}
