import { SUBSCRIPTION_LIMITS } from '../limits/limits.ts'

/** What connections that carry several operations may hold on to. */
export type TransportLimits = {
  /** Connections at once, by client and over all clients. */
  perClient: number
  total: number
  /** Operations under way on one connection. */
  operations: number
  /** Milliseconds until a connection without an operation is closed. */
  idleMs: number
  /** Milliseconds until a connection that was announced has to begin. */
  beginMs: number
  /** Milliseconds between pings. */
  heartbeatMs: number
  /** Bytes that a connection may leave unread and still be sent more. */
  unreadBytes: number
  /** Messages of a client's WebSockets. */
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
