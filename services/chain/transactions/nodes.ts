import { createPublicClient, type Hash, type Hex, http, TransactionNotFoundError } from 'viem'

/** A chain's providers, each asked for itself. */
export type Nodes = {
  /**
   * Hands signed bytes to every provider at once: one that drops them, or keeps them to itself, keeps
   * nobody else from seeing them. Resolves as soon as one has taken them: the others, who may not
   * answer at all, have them too.
   *
   * @throws RefusedError with what each of them said when none takes them
   */
  broadcast(raw: Hex): Promise<void>
  /**
   * Whether any provider has the transaction, in a block or waiting for one. One that doesn't answer
   * has no say as long as another does.
   *
   * @throws what the first one said when none answers
   */
  isKnown(hash: Hash): Promise<boolean>
}

/** No provider took a transaction. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  /** In the order of the providers. */
  readonly refusals: readonly unknown[]

  constructor(refusals: readonly unknown[]) {
    super('no provider took the transaction')
    this.refusals = refusals
  }
}

export function nodesAt(rpcUrls: readonly string[]): Nodes {
  const clients = rpcUrls.map((url) =>
    createPublicClient({ transport: http(url, { timeout: 5_000, retryCount: 0 }) }),
  )
  return {
    async broadcast(raw) {
      const sent = clients.map((client) =>
        client.sendRawTransaction({ serializedTransaction: raw }),
      )
      await Promise.any(sent).catch(({ errors }: AggregateError) => {
        throw new RefusedError(errors)
      })
    },
    async isKnown(hash) {
      const asked = await Promise.allSettled(
        clients.map((client) =>
          client.getTransaction({ hash }).then(
            () => true,
            (error: unknown) => {
              if (error instanceof TransactionNotFoundError) return false
              throw error
            },
          ),
        ),
      )
      const answers = asked.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
      const [first] = asked
      if (answers.length === 0 && first?.status === 'rejected') throw first.reason
      return answers.includes(true)
    },
  }
}
