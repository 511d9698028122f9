import { sql } from 'kysely'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { TABLES } from '../../../src/table/tableShapes.ts'
import { reviveRow } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type IntentPage, listedRows } from './listIntents.ts'
import { DELIVERIES, SEQUENCE, type StoredIntent } from './storedIntent.ts'

export type IntentColumn = keyof SourceFacts

/** Requested parts of each intent in a list, besides its position. */
export type IntentParts = {
  columns: ReadonlySet<IntentColumn>
  /** All columns, and the winner's delivery. */
  facts: boolean
  sequence: boolean
}

/** An intent's requested columns in PostgreSQL's text format. */
export type IntentText = { readonly [Column in IntentColumn]?: string | null } & {
  readonly deliveries?: unknown[]
  readonly sequence?: bigint
}

const ALL = Object.keys(TABLES.intent.columns) as IntentColumn[]

/**
 * Lists a page of intents like `listIntents`, but only the requested parts, and with columns as text: values that go into a
 * text response needn't be parsed and formatted again. One statement.
 */
export async function listIntentsAsText(
  db: Db,
  page: IntentPage,
  { columns, facts, sequence }: IntentParts,
): Promise<readonly IntentText[]> {
  const listed = listedRows(page)
  if (listed === null) return []
  const position = new Set<IntentColumn>([page.order.by, 'intentId', 'sourceChainId'])
  const requested = ALL.filter((name) => facts || columns.has(name) || position.has(name))
  const parts = requested.map((name) => `intent.${toColumnName(name)}::text as "${name}"`)
  if (facts) parts.push(`${DELIVERIES} as deliveries`)
  if (sequence) parts.push(`${SEQUENCE} as sequence`)
  const { rows } =
    await sql<IntentText>`select ${sql.raw(parts.join(', '))} from (${listed.rows}) as intent ${listed.order}`.execute(
      db,
    )
  return rows
}

/** Parses a row that was read with `facts`. The sequence is 0 unless it was requested. */
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
