import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findCommandLine } from '../../../services/process/processInfo.ts'
import { descendantsOf } from '../../rig/devnetProcess.ts'
import type { MoneyTestbed } from '../money/moneyTestbed.ts'

/** A place to search for secrets. */
type Haystack = { name: string; text: string }

/** Everything in the system that others than its processes can read. */
export async function listSearchedPlaces(testbed: MoneyTestbed): Promise<Haystack[]> {
  return [...logsOf(testbed), ...argumentsOf(), ...(await databasesOf(testbed))]
}

function logsOf({ directory }: MoneyTestbed): Haystack[] {
  const logs = join(directory, 'logs')
  return readdirSync(logs).map((name) => ({ name, text: readFileSync(join(logs, name), 'utf8') }))
}

/** Command lines of this process's descendants, which any user of the machine can read. */
function argumentsOf(): Haystack[] {
  const lines = descendantsOf(process.pid).map((pid) => findCommandLine(pid) ?? '')
  return [{ name: 'process arguments', text: lines.join('\n') }]
}

/** Every row of every table, as PostgreSQL prints it, and the running statements. */
async function databasesOf({ devnet }: MoneyTestbed): Promise<Haystack[]> {
  const found: Haystack[] = []
  const { databaseUrl } = devnet.file
  const { rows } = await queryAll(databaseUrl, 'select datname from pg_database where datallowconn')
  for (const { datname } of rows) {
    const url = new URL(databaseUrl)
    url.pathname = `/${datname}`
    const tables = await queryAll(
      url.href,
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    for (const { name } of [...tables.rows, { name: 'pg_stat_activity' }]) {
      const table = await queryAll(url.href, `select t::text as row from ${name} t`)
      const text = table.rows.map(({ row }) => row).join('\n')
      found.push({ name: `${datname}: ${name}`, text })
    }
  }
  return found
}

async function queryAll(databaseUrl: string, statement: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
