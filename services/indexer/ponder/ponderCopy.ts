import { EventEmitter } from 'node:events'
import pg from 'pg'

/**
 * Stands in for `pg-copy-streams` (ponderModules.ts): a stream waits for the server before it sends, and nothing can be
 * sent behind it until it is done. Ponder has the whole text at once.
 */
export default { from: (statement: string) => new CopiedText(statement) }

/** What `COPY … FROM STDIN` is to read. A `PipeliningClient` takes it as a query, which it sends at its end. */
export class CopiedText extends EventEmitter {
  readonly #statement: string
  #client: pg.Client | null = null
  #text = ''

  constructor(statement: string) {
    super()
    this.#statement = statement
  }

  through(client: pg.Client): this {
    this.#client = client
    return this
  }

  write(text: string): void {
    this.#text += text
  }

  end(): void {
    const copy = new Copy(this.#statement, this.#text)
    copy.on('error', (error) => this.emit('error', error))
    copy.on('end', () => this.emit('finish'))
    this.#client?.query(copy)
  }
}

/** The parts of pg's connection by which text is copied, which its types leave out. */
type Copying = pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** The statement and what it reads, sent together: PostgreSQL passes over the text of a statement that it refused. */
class Copy extends pg.Query {
  constructor(statement: string, text: string) {
    super(statement)
    this.submit = (connection) => {
      const { stream } = connection
      stream.cork()
      connection.query(statement)
      ;(connection as Copying).sendCopyFromChunk(Buffer.from(text))
      ;(connection as Copying).endCopyFrom()
      stream.uncork()
    }
  }

  /** The server is ready for what has been sent already. */
  handleCopyInResponse(): void {}
}
