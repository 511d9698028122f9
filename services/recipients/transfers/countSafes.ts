import { sql } from 'kysely'
import type { Db } from '../../store/database.ts'

/** Safes of one chain. */
export type SafesCount = {
  chainId: number
  /** Those that are read with their chain. */
  followed: number
  /** Those to which nothing happens: they are read once in a while. */
  quiet: number
  /** Those that are still to be read back. */
  behind: number
}

/** Counts the Safes of every chain by how their transfers are read. */
export async function countSafes(db: Db): Promise<SafesCount[]> {
  const { rows } = await sql<SafesCount>`
    select e.chain_id as "chainId",
      count(*) filter (where f.safe_address is not null and f.next_block is null)::integer
        as followed,
      count(*) filter (where f.is_quiet)::integer as quiet,
      count(*) filter (where f.safe_address is null
        or (f.next_block is not null and not f.is_quiet))::integer as behind
    from app.stealth_entry e left join app.followed_safe f using (chain_id, safe_address)
    group by 1`.execute(db)
  return rows
}
