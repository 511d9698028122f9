/** Where the relayer, or another of our services, is, and how long it may take. */
export type RelayerAddress = {
  /** Without a slash at the end. */
  baseUrl: string
  /** Milliseconds; default 10,000. */
  requestTimeoutMs?: number | undefined
  /** What to call it in errors; default `the relayer`. */
  service?: string | undefined
}
