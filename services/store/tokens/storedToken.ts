import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'

/** Names a token. The address is in lower case. */
export type TokenKey = { chainId: number; address: Hex }

/** A token as its contract described itself when it was asked. */
export type StoredToken = TokenKey & {
  symbol: string | null
  name: string | null
  decimals: number | null
}

/** Tokens answered at most: anyone can have a token of their own asked for. */
const MOST = 1_000

const COLUMNS = sql.raw('chain_id as "chainId", address, symbol, name, decimals')

/** The tokens with these keys that were asked, in no particular order. */
export async function loadTokens(db: Db, keys: readonly TokenKey[]): Promise<StoredToken[]> {
  if (keys.length === 0) return []
  const chains = keys.map(({ chainId }) => chainId)
  const addresses = keys.map(({ address }) => address)
  const { rows } = await sql<StoredToken>`select ${COLUMNS} from app.token
    where (chain_id, address) in (
      select * from unnest(${chains}::bigint[], ${addresses}::text[]))`.execute(db)
  return rows
}

/** Tokens that were asked, by chain and address, 1,000 at most. */
export async function listStoredTokens(db: Db): Promise<StoredToken[]> {
  const { rows } = await sql<StoredToken>`select ${COLUMNS} from app.token
    order by chain_id, address limit ${sql.lit(MOST)}`.execute(db)
  return rows
}

/** Stores a token's answer; the first one stays. */
export async function saveToken(db: Db, token: StoredToken): Promise<void> {
  const { chainId, address, symbol, name, decimals } = token
  await sql`insert into app.token (chain_id, address, symbol, name, decimals)
    values (${chainId}, ${address}, ${symbol}, ${name}, ${decimals})
    on conflict do nothing`.execute(db)
}
