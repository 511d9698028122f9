import { sql } from 'kysely'
import { columnName } from '../../../core/rows/columnName.ts'
import type { SourceFacts } from '../../../src/intent/facts.ts'
import { TABLES } from '../../../src/projection/tables.ts'
import { reviveRow } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { type IntentPage, listedRows } from './listIntents.ts'
import { DELIVERIES, SEQUENCE, type StoredIntent } from './storedIntent.ts'

export type IntentColumn = keyof SourceFacts

/** What is requested of each intent of a list, beside its place there. */
export type IntentParts = {
  columns: ReadonlySet<IntentColumn>
  /** Its facts: every column, and the winner's deliveries. */
  facts: boolean
  sequence: boolean
}

/** An intent as PostgreSQL writes its columns, those that were asked for: text, or null. */
export type IntentText = { readonly [Column in IntentColumn]?: string | null } & {
  readonly deliveries?: unknown[]
  readonly sequence?: bigint
}

const ALL = Object.keys(TABLES.intent.columns) as IntentColumn[]

/**
 * A page of intents as `listIntents` finds them, but only the asked parts and each column as text: for
 * answers made of text, which would otherwise be parsed only to be written again. One statement.
 */
export async function listIntentsAsText(
  db: Db,
  page: IntentPage,
  { columns, facts, sequence }: IntentParts,
): Promise<readonly IntentText[]> {
  const listed = listedRows(page)
  if (listed === null) return []
  const place = new Set<IntentColumn>([page.order.by, 'intentId', 'sourceChainId'])
  const requested = ALL.filter((name) => facts || columns.has(name) || place.has(name))
  const parts = requested.map((name) => `intent.${columnName(name)}::text as "${name}"`)
  if (facts) parts.push(`${DELIVERIES} as deliveries`)
  if (sequence) parts.push(`${SEQUENCE} as sequence`)
  const { rows } =
    await sql<IntentText>`select ${sql.raw(parts.join(', '))} from (${listed.rows}) as intent ${listed.order}`.execute(
      db,
    )
  return rows
}

/** The intent behind texts that were read with its facts. Without its sequence, if that wasn't asked for. */
export function storedFromText({
  deliveries = [],
  sequence = 0n,
  ...row
}: IntentText): StoredIntent {
  const source: Record<string, unknown> = row
  for (const name of ALL) {
    const text = row[name]
    if (text == null) continue
    const kind = TABLES.intent.columns[name]
    if (kind === 'bigint') source[name] = BigInt(text)
    else if (kind === 'number') source[name] = Number(text)
  }
  return {
    source: source as unknown as SourceFacts,
    deliveries: deliveries.map((delivery) => reviveRow('delivery', delivery)),
    sequence,
    events: null,
  }
}
