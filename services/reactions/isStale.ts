import { sql } from 'kysely'
import { decodeFunctionData, type Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Transaction } from '../chain/transactions/transaction.ts'
import type { Db } from '../store/database.ts'
import { storeProblemOf } from '../store/storeProblem.ts'
import { hasLostItsDelivery } from './hasLostItsDelivery.ts'

/**
 * Whether a transaction that waits to be sent has had its day although the bridge would still take it:
 * a reorg has changed what it was asked for. It is cancelled then, and asked for anew if need be. Where
 * it is mined before that, the contract and what is appended later make it good.
 *
 * While there is no index, which is dropped and made anew at will, nothing is stale by it.
 */
export function isStale(db: Db, transaction: Transaction): Promise<boolean> {
  return hasHadItsDay(db, transaction).catch((error: unknown) => {
    if (storeProblemOf(error) === 'not_ready') return false
    throw error
  })
}

async function hasHadItsDay(db: Db, transaction: Transaction): Promise<boolean> {
  switch (transaction.kind) {
    case 'anchor':
      return hasLostItsBundle(db, transaction)
    case 'append':
      return isForgotten(db, transaction)
    case 'settle':
      return hasLostItsDelivery(db, transaction)
    default:
      return false
  }
}

type Current = {
  isLive: boolean
  creation: Hex | null
  creationBlob: Hex | null
  sealed: Hex | null
  feeBps: number | null
}

/**
 * Whether an anchor is of another creation than the one that has the id now, or says anything else than
 * what is stored. An index that is only coming back after a restart is not believed.
 */
async function hasLostItsBundle(db: Db, { chainId, effect, data }: Transaction): Promise<boolean> {
  const [id = '', creation] = effect.split(':')
  const key = sql`source_chain_id = ${chainId}::bigint and intent_id = ${id}::numeric`
  const { rows } = await sql<Current>`
    select exists (select from app.projection p
        where p.active and p.chain_id = ${chainId}::bigint and p.state = 'live') as "isLive",
      (select create_tx_hash from cairn.intent where ${key}) as creation,
      (select args ->> 'encryptedBlob' from cairn.event
        where ${key} and type = 'IntentCreated' limit 1) as "creationBlob",
      (select '0x' || encode(sealed, 'hex') from app.bundle where ${key}) as sealed,
      (select fee_bps from app.bundle where ${key}) as "feeBps"`.execute(db)
  const now = rows[0] as Current
  if (!now.isLive) return false
  if (now.creation !== creation || now.sealed === null) return true
  const { args } = decodeFunctionData({ abi: bridgeIntentV2Abi, data })
  const [, feeBps, blob] = args as readonly [bigint, number, Hex]
  const anchored = blob === '0x' ? now.creationBlob : blob
  return anchored !== now.sealed || feeBps !== now.feeBps
}

/** Whether the blob was forgotten, or deleted by an operator, while it waited. */
async function isForgotten(db: Db, { chainId, effect }: Transaction): Promise<boolean> {
  const [id = '', digest = '0x'] = effect.split(':')
  const key = sql`source_chain_id = ${chainId}::bigint and intent_id = ${id}::numeric`
  const { rows } = await sql`
    select from app.appended_blob where ${key} and '0x' || encode(digest, 'hex') = ${digest}
    union all
    select from app.bundle
    where ${key} and '0x' || encode(sha256(sealed), 'hex') = ${digest}`.execute(db)
  return rows.length === 0
}
