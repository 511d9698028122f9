import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'

/** Limits of connections that carry several operations. */
export type TransportLimits = {
  /** Open connections, of one client and of all. */
  perClient: number
  total: number
  /** Running operations of one connection. */
  operations: number
  /** Milliseconds until a connection without operations is closed. */
  idleMs: number
  /** Milliseconds until a reserved stream must be opened, and a socket must send `connection_init`. */
  beginMs: number
  /** Milliseconds between pings. */
  heartbeatMs: number
  /** Unread bytes at which a connection is closed. */
  unreadBytes: number
  /** Rate of the messages on a client's WebSockets. */
  messages: { perSecond: number; burst: number }
}

export const TRANSPORT_LIMITS: TransportLimits = {
  perClient: 20,
  total: 1_000,
  operations: SUBSCRIPTION_LIMITS.perClient,
  idleMs: 60_000,
  beginMs: 10_000,
  heartbeatMs: 12_000,
  unreadBytes: 8 * 2 ** 20,
  messages: { perSecond: 20, burst: 100 },
}
