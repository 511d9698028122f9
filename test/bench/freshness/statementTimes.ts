import { readFile } from 'node:fs/promises'
import pg from 'pg'

/** From now on, PostgreSQL logs each statement: when it ended, who sent it and how long it took. */
export async function logStatements(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query('alter system set log_min_duration_statement = 0')
    // Milliseconds since 1970, process, application.
    await client.query("alter system set log_line_prefix = '%n %p [%a] '")
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
}

/** A stretch of the way from the node to the database, and how many milliseconds each sample took for it. */
export type Step = { name: string; took: number[] }

type Statement = {
  at: number
  process: string
  application: string
  took: number
  text: string
}

/**
 * What the indexer did for each sample, by the database's log: from the announcement to its first statement it
 * fetches the block, then come the statements of its transaction, one after the other.
 *
 * @param samples moments of the announcements, by `performance.now()`
 */
export async function readSteps(
  logFile: string,
  samples: readonly { seenAt: number }[],
): Promise<Step[]> {
  return stepsOf(
    statementsOf(await readFile(logFile, 'utf8')),
    samples.map(({ seenAt }) => performance.timeOrigin + seenAt),
  )
}

function statementsOf(log: string): Statement[] {
  const pattern =
    /^(\d+\.\d+) (\d+) \[(.*?)\] LOG: {2}duration: ([\d.]+) ms {2}(?:statement|execute [^:]*): (.*)$/gm
  return [...log.matchAll(pattern)].map(([, at, process, application, took, text]) => ({
    at: Number(at) * 1_000,
    process: process as string,
    application: application as string,
    took: Number(took),
    text: text as string,
  }))
}

function stepsOf(statements: readonly Statement[], announced: readonly number[]): Step[] {
  const found = announced.flatMap((at) => {
    const transaction = transactionAfter(statements, at)
    return transaction ? [{ at, ...transaction }] : []
  })
  return [
    { name: 'announced → transaction begun', took: found.map(({ at, begun }) => begun - at) },
    { name: 'transaction begun → committed', took: found.map((one) => one.ended - one.begun) },
    { name: '  of it in PostgreSQL', took: found.map(({ worked }) => worked) },
    { name: '  of it the commit', took: found.map(({ commit }) => commit) },
    { name: '  statements (a number)', took: found.map(({ count }) => count) },
  ]
}

/** The first transaction after a moment in which a Ponder wrote an intent. */
function transactionAfter(statements: readonly Statement[], at: number) {
  const write = statements.find(
    (one) => one.at >= at && one.application.endsWith('_user') && /"intent"/.test(one.text),
  )
  if (!write) return null
  const own = statements.filter(({ process }) => process === write.process)
  const place = own.indexOf(write)
  const first = own.findLastIndex(({ text }, position) => position <= place && /^begin/i.test(text))
  const last = own.findIndex(({ text }, position) => position > place && /^commit/i.test(text))
  const [begin, commit] = [own[first], own[last]]
  if (!begin || !commit) return null
  const all = own.slice(first, last + 1)
  return {
    begun: begin.at - begin.took,
    ended: commit.at,
    commit: commit.took,
    count: all.length,
    worked: all.reduce((sum, { took }) => sum + took, 0),
  }
}
