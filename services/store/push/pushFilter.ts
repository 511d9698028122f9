import { type RawBuilder, sql } from 'kysely'

/** Which lines of the journal match: all given fields must hold. Addresses in lower case. */
export type PushFilter = {
  intents?: readonly bigint[] | undefined
  sender?: string | undefined
  solver?: string | undefined
  /** Source or destination. */
  chain?: number | undefined
  types?: readonly string[] | undefined
}

/** What a line is chosen by. */
export type ChosenBy = {
  type: string
  intentId: bigint | null
  sender: string
  solver: string | null
  sourceChainId: number
  destChainId: number
}

/** Whether a line matches. `pushFilterSql` is the same rule for the database. */
export function matchesFilter(line: ChosenBy, filter: PushFilter): boolean {
  const { intents, sender, solver, chain, types } = filter
  return (
    (intents === undefined || (line.intentId !== null && intents.includes(line.intentId))) &&
    (sender === undefined || sender === line.sender) &&
    (solver === undefined || solver === line.solver) &&
    (chain === undefined || chain === line.sourceChainId || chain === line.destChainId) &&
    (types === undefined || types.includes(line.type))
  )
}

/** `matchesFilter` as a condition on a row of `app.push_event` aliased `line`. */
export function pushFilterSql(filter: PushFilter): RawBuilder<unknown> {
  const { intents, sender, solver, chain, types } = filter
  const parts = [sql`true`]
  if (intents !== undefined)
    parts.push(sql`line.intent_id = any(${intents.map(String)}::numeric[])`)
  if (sender !== undefined) parts.push(sql`line.sender = ${sender}`)
  if (solver !== undefined) parts.push(sql`line.solver = ${solver}`)
  if (chain !== undefined)
    parts.push(sql`${chain}::bigint in (line.source_chain_id, line.dest_chain_id)`)
  if (types !== undefined) parts.push(sql`line.type = any(${[...types]}::text[])`)
  return sql.join(parts, sql` and `)
}
