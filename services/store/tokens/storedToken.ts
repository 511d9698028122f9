import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/openDatabase.ts'

/** Identifies a token. The address is in lower case. */
export type TokenKey = { chainId: number; address: Hex }

/** A token as its contract described itself when it was read. */
export type StoredToken = TokenKey & {
  symbol: string | null
  name: string | null
  decimals: number | null
}

/** Limit on tokens, since anyone can have a token of their own read. */
const LIMIT = 1_000

const COLUMNS = sql.raw('chain_id as "chainId", address, symbol, name, decimals')

/** Loads the tokens with these keys, in no particular order, without unread ones. */
export async function loadTokens(db: Db, keys: readonly TokenKey[]): Promise<StoredToken[]> {
  if (keys.length === 0) return []
  const chains = keys.map(({ chainId }) => chainId)
  const addresses = keys.map(({ address }) => address)
  const { rows } = await sql<StoredToken>`select ${COLUMNS} from app.token
    where (chain_id, address) in (
      select * from unnest(${chains}::bigint[], ${addresses}::text[]))`.execute(db)
  return rows
}

/** Lists stored tokens by chain and address, at most 1,000. */
export async function listStoredTokens(db: Db): Promise<StoredToken[]> {
  const { rows } = await sql<StoredToken>`select ${COLUMNS} from app.token
    order by chain_id, address limit ${sql.lit(LIMIT)}`.execute(db)
  return rows
}

/** Saves a token; a saved one is never changed. */
export async function saveToken(db: Db, token: StoredToken): Promise<void> {
  const { chainId, address, symbol, name, decimals } = token
  await sql`insert into app.token (chain_id, address, symbol, name, decimals)
    values (${chainId}, ${address}, ${symbol}, ${name}, ${decimals})
    on conflict do nothing`.execute(db)
}
