/** APIs with different limits over one index. */
export type TransportRig = {
  url: string
  /** Limits: two connections per client, three operations per connection. */
  strictUrl: string
  /** Limit: five reads per client. */
  modestUrl: string
  someIntents(count: number): Promise<string[]>
  /** Changes intents in one block. */
  touch(ids: readonly string[] | 'all'): Promise<void>
  gauge(name: string, url?: string): Promise<number>
  /** Waits until no API has an open subscription, stream or socket. */
  isQuiet(): Promise<void>
}
