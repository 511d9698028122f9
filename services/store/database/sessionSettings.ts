import type { ClientBase } from 'pg'

/**
 * Settings of every session, whatever the server, the database or the role says: with others, bytes, strings and times
 * would be misread, long statements cut off, a vanished machine's locks held for two hours, and a nonce forgotten by a crash
 * after its transaction was sent.
 */
const SESSION_SETTINGS = Object.entries({
  datestyle: 'ISO',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read\\ committed',
  synchronous_commit: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '10min',
  // Seconds.
  tcp_keepalives_idle: '15',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // Shows that these arrived.
  'cairn.session': 'own',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

// By the environment, since libraries open connections of their own. A connection's own settings take precedence.
const { PGOPTIONS: given = '' } = process.env
if (!given.includes(SESSION_SETTINGS)) process.env.PGOPTIONS = `${given} ${SESSION_SETTINGS}`.trim()

/** Our settings don't reach PostgreSQL: the URL has others, or a pooler in between drops them. */
export class SessionSettingsError extends Error {
  override name = 'SessionSettingsError'
  override message = 'the session lacks our settings'
}

/** Not among the settings above: servers before PostgreSQL 17 would refuse it at the start of a session. */
const NO_TRANSACTION_TIMEOUT = `case when current_setting('transaction_timeout', true) is not null
  then set_config('transaction_timeout', '0', false) end`

/**
 * Poolers that drop our settings mostly share sessions too: locks would keep nobody out, and notifications be lost. Also lets
 * transactions take as long as they need: a migration may index for minutes.
 *
 * @throws SessionSettingsError
 */
export async function requireSessionSettings(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('cairn.session', true) as session, ${NO_TRANSACTION_TIMEOUT}`,
  )
  if (rows[0].session !== 'own') throw new SessionSettingsError()
}
