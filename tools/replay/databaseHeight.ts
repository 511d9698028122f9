import type { ClientBase } from 'pg'
import { ToolError } from '../commandLine.ts'

/** The database's height on a chain. Throws a ToolError when it has none. */
export async function databaseHeight(client: ClientBase, chainId: number): Promise<number> {
  const { rows } = await client.query(
    'SELECT block_number FROM cairn.chain_clock WHERE chain_id = $1',
    [chainId],
  )
  const height = rows[0]?.block_number
  if (height == null) throw new ToolError(`the database has no index of chain ${chainId} yet`)
  return Number(height)
}
