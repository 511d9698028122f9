/** APIs over one index, by what they put up with. */
export type TransportRig = {
  url: string
  /** Two connections of a client, three operations on each. */
  strictUrl: string
  /** Five reads of a client. */
  modestUrl: string
  someIntents(count: number): Promise<string[]>
  /** Changes intents in one block. */
  touch(ids: readonly string[] | 'all'): Promise<void>
  gauge(name: string, url?: string): Promise<number>
  /** Nothing of anybody's is open any more, on any of them. */
  isQuiet(): Promise<void>
}
