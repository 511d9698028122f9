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
  const { databaseUrl } = devnet.file
  const databases = await queryOn(databaseUrl, async (query) => {
    const rows = await query('select datname from pg_database where datallowconn')
    return rows.map(({ datname }) => datname as string)
  })
  const found: Haystack[] = []
  for (const database of databases) {
    const url = new URL(databaseUrl)
    url.pathname = `/${database}`
    found.push(...(await queryOn(url.href, (query) => tablesOf(database, query))))
  }
  return found
}

type Query = (statement: string) => Promise<Record<string, unknown>[]>

async function tablesOf(database: string, query: Query): Promise<Haystack[]> {
  const tables = await query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const found: Haystack[] = []
  for (const { name } of [...tables, { name: 'pg_stat_activity' }]) {
    const rows = await query(`select t::text as row from ${name} t`)
    const text = rows.map(({ row }) => row).join('\n')
    found.push({ name: `${database}: ${name}`, text })
  }
  return found
}

async function queryOn<Result>(
  databaseUrl: string,
  use: (query: Query) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(async (statement) => (await client.query(statement)).rows)
  } finally {
    await client.end()
  }
}
