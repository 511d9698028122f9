import type { Hex } from '../../src/event/bridgeEvent.ts'
import { toApiOrderId } from './apiOrderId.ts'

/** Allowed difference, in seconds, between a read request's signed time and ours. */
const READ_WINDOW_SECONDS = 300

/** Why a message doesn't place or cancel an order. */
type MessageProblem =
  /** It doesn't name the order; without that check any of the owner's signatures would do. */
  | 'ORDER_NOT_NAMED'
  /** Its own expiry has passed. */
  | 'LAPSED'
  /** It names another chain. */
  | 'OTHER_CHAIN'

/** What a message is checked against. */
type MessageFor = {
  orderId: Hex
  sourceChainId: number
  /** Unix seconds. */
  now: number
  /** Whether any text is accepted, as on test networks in compat. */
  mayBeAnything: boolean
}

/**
 * What wallets sign for other purposes. In some of these messages, a service chooses 64 digits, such as the `paramsHash` of an
 * intent whose sender names recipients: it could choose the digest of an order that it has made up.
 */
const OTHER_USE =
  /^(twap_(cancel|read)|store_recipients|get_recipients|intent_(metadata|private)|register_(solver|stealth|webhook)|webhook|(generate|derive)_stealth(_key)?|deploy_safe):/i

const ORDER_MESSAGE = /^TWAP_ORDER:([0-9a-fA-F]{64}):(\d{1,16}):(\d{1,12})$/

/** The chain that a message in the usual form places an order on; undefined for any other message. */
export function findMessageChain(message: string): number | undefined {
  const own = ORDER_MESSAGE.exec(message)
  return own === null ? undefined : Number(own[2])
}

/** When a message in the usual form expires, in unix seconds; undefined for any other message. */
export function findMessageExpiry(message: string): number | undefined {
  const own = ORDER_MESSAGE.exec(message)
  return own === null ? undefined : Number(own[3])
}

/** Why a message doesn't place an order; null when it does. */
export function findOrderMessageProblem(message: string, about: MessageFor): MessageProblem | null {
  const own = ORDER_MESSAGE.exec(message)
  if (own !== null) {
    if (Number(own[2]) !== about.sourceChainId) return 'OTHER_CHAIN'
    if (Number(own[3]) <= about.now) return 'LAPSED'
  }
  if (OTHER_USE.test(message)) return 'ORDER_NOT_NAMED'
  return about.mayBeAnything || findDigestOffset(message, about.orderId) >= 0
    ? null
    : 'ORDER_NOT_NAMED'
}

/** Why a message doesn't cancel an order; null when it does. */
export function findCancelMessageProblem(
  message: string,
  about: MessageFor,
): MessageProblem | null {
  const own = /^TWAP_CANCEL:[^:]{1,80}:(\d{1,12})$/.exec(message)
  if (own !== null && Number(own[1]) <= about.now) return 'LAPSED'
  const text = message.toLowerCase()
  // A message that places or reads an order must not cancel it: placing messages are public, on chain.
  const isForAnotherUse = text.includes(about.orderId.slice(2)) || /^twap_(order|read):/.test(text)
  if (isForAnotherUse) return 'ORDER_NOT_NAMED'
  return about.mayBeAnything || text.includes(toApiOrderId(about.orderId))
    ? null
    : 'ORDER_NOT_NAMED'
}

/** Whether this message is an owner's request to read, at about this time: `TWAP_READ:<order's id>:<unix seconds>`. */
export function isReadMessage(message: string, ids: readonly string[], now: number): boolean {
  const match = /^TWAP_READ:([^:]{1,80}):(\d{1,12})$/.exec(message)
  if (match === null || Math.abs(Number(match[2]) - now) > READ_WINDOW_SECONDS) return false
  return ids.some((id) => id.toLowerCase() === match[1]!.toLowerCase())
}

/** Offset of an order id's 64 hex digits in the message's bytes, for the vault; -1 if absent. */
export function findDigestOffset(message: string, orderId: Hex): number {
  const bytes = Buffer.from(message, 'utf8').toString('latin1').toLowerCase()
  return bytes.indexOf(orderId.slice(2).toLowerCase())
}
