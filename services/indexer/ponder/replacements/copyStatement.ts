import { EventEmitter } from 'node:events'
import pg from 'pg'

/**
 * Replaces `pg-copy-streams` (replacePonderModules.ts). A stream waits for the server before it sends, and blocks whatever
 * follows; Ponder already has the complete text.
 */
export default { from: (statement: string) => new CopyStatement(statement) }

/**
 * The text for `COPY … FROM STDIN`. A `PipeliningClient` accepts it as a query and sends it when the text is complete.
 */
export class CopyStatement extends EventEmitter {
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

/** The methods of pg's connection that copy text, which its types omit. */
type Copying = pg.Connection & { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** Statement and text, sent together: PostgreSQL skips the text of a rejected statement. */
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

  /** Nothing to do: the text is already sent. */
  handleCopyInResponse(): void {}
}
