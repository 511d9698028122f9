/**
 * Replaces `pg` for Ponder's connections (replacePonderModules.ts). Ponder waits for each of a block's statements before it
 * sends the next, which takes most of its time on a busy machine. With this client it waits only for what it reads, for
 * its rows and for the commit. And where Ponder drops a trigger, the client disables it.
 */
import pg from 'pg'
import { CopyStatement } from './copyStatement.ts'

/** Statements whose result Ponder ignores. If one fails, the next awaited statement fails too. */
const UNREAD =
  /^(begin$|SAVEPOINT |RELEASE |with committed_0 as |update .*"_ponder_checkpoint" set "latest_checkpoint" = )/

/** Where triggers would record changed tables for live queries, which nothing here uses (databaseActions.ts). */
const LIVE_QUERY_TABLE = 'CREATE TEMP TABLE live_query_tables '

/**
 * Ponder drops its triggers at a restart and in a reorg, and then creates or replaces them, which also enables a disabled
 * one. To drop them, it would wait for every reader, such as a backup, and all later readers would wait for it.
 */
const DROP_TRIGGER = /^DROP TRIGGER IF EXISTS ("\w+") ON ("\w+"\."\w+");?$/

const NOTHING = { rows: [], rowCount: 0, fields: [], command: '', oid: 0 }

class PipeliningClient extends pg.Client {
  /** Why an unread statement failed, until a later statement reports it. */
  #failure: unknown = null

  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true })
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's own has ten overloads
  override query(config: any, ...rest: any[]): any {
    if (config instanceof CopyStatement) return config.through(this)
    const isAnsweredElsewhere = config.submit || typeof rest.at(-1) === 'function'
    if (isAnsweredElsewhere) return super.query(config, ...(rest as []))
    const text: string = config.text ?? config
    if (text.startsWith(LIVE_QUERY_TABLE)) return Promise.resolve(NOTHING)
    const dropped = text.match(DROP_TRIGGER)
    const sent = dropped ? disableTrigger(dropped) : config
    const answer: Promise<unknown> = super.query(sent, ...(rest as []))
    return UNREAD.test(text) ? this.#unread(answer) : this.#read(answer, text === 'rollback')
  }

  #unread(answer: Promise<unknown>) {
    answer.catch((error) => {
      this.#failure ??= error
    })
    return Promise.resolve(NOTHING)
  }

  async #read(answer: Promise<unknown>, isRollback: boolean) {
    await answer.catch(() => {})
    const failure = this.#failure
    this.#failure = null
    if (failure !== null && !isRollback) throw failure
    return answer
  }
}

function disableTrigger([, trigger, table]: string[]): string {
  return `do $$ begin alter table ${table} disable trigger ${trigger};
    exception when undefined_object then null; end $$`
}

export default { ...pg, Client: PipeliningClient }
