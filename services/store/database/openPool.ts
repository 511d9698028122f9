import pg from 'pg'
import { requireSessionSettings } from './sessionSettings.ts'

/** Milliseconds that an answer may take beyond its statement's timeout. */
const GRACE_MS = 10_000

/**
 * Opens a pool whose broken connections fail their queries and are replaced, whether the server closed them or fell silent.
 *
 * @param options without a `statement_timeout`, only TCP notices a silent server: within half a minute, unless a query was
 *   just sent or a proxy answers for it
 */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    keepAlive: true,
    keepAliveInitialDelayMillis: 15_000,
    ...options,
    onConnect: prepare,
  })
  // Without listeners, the error event of a broken connection would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Prepares a new connection before the pool hands it out: a database role's `transaction_timeout` must not end our work. */
async function prepare(client: pg.ClientBase): Promise<void> {
  // The URL's own comes before the options'.
  const timeoutMs = Number(innerOf(client).connectionParameters.statement_timeout)
  if (timeoutMs > 0) endWhenSilent(client, timeoutMs + GRACE_MS)
  await requireSessionSettings(client)
}

/**
 * Ends a connection whose server doesn't answer a query in time. Its own timeout says nothing if its host has vanished, or
 * the network: TCP would give up after a quarter of an hour, and never as long as a proxy in between lives.
 */
function endWhenSilent(client: pg.ClientBase, silenceMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined
  const watched = (...args: unknown[]) => {
    const late = setTimeout(() => innerOf(client).connection.stream.destroy(), silenceMs)
    const callback = args.at(-1)
    if (typeof callback !== 'function') return query(...args)?.finally(() => clearTimeout(late))
    return query(...args.slice(0, -1), (...answer: unknown[]) => {
      clearTimeout(late)
      callback(...answer)
    })
  }
  client.query = watched as typeof client.query
}

/** What the driver's types leave out. */
function innerOf(client: pg.ClientBase) {
  return client as pg.Client & {
    connectionParameters: { statement_timeout: string | number | false }
  }
}
