/** The address of the relayer, or another Cairn service, and its timeout. */
export type RelayerAddress = {
  baseUrl: string
  /** Milliseconds; default 10,000. */
  requestTimeoutMs?: number | undefined
  /** The service's name in errors; default `the relayer`. */
  service?: string | undefined
}
