import { openTicket } from '../keys/ticket.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'

/** The deliveries of tickets, in their order. */
export function openTickets(
  { keyring }: Room,
  { tickets }: CheckedRequest<'openTickets'>,
): ResponseOf<'openTickets'> {
  return {
    deliveries: tickets.map((ticket) => {
      const opened = openTicket(keyring.roots, ticket)
      return opened && { ...opened.delivery, index: opened.delivery.index ?? 0 }
    }),
  }
}
