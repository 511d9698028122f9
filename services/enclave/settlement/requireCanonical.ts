import { confirmationsFor } from '../../settlement/confirmationsFor.ts'
import { EnclaveError } from '../enclaveError.ts'
import { chainIn, type Room } from '../room.ts'
import type { Proven, SettlementHistory } from './proveHistory.ts'

/**
 * Requires every block of the evidence to be the chain's, as the enclave's witnesses see it, deep enough
 * (a delivery as deep as its amount asks), and to hold the proven receipts' transactions where they are said to be.
 * Throws an EnclaveError `BLOCK_NOT_CANONICAL`, `NOT_CONFIRMED`, `EVIDENCE_INVALID` or
 * `WITNESS_UNREACHABLE`.
 *
 * @returns the time of the source chain's head, unix seconds
 */
export async function requireCanonical(room: Room, history: SettlementHistory): Promise<number> {
  const { created, anchored, deposited, solved, appended } = history
  const { point, args } = solved.event
  const paid = confirmationsFor(chainIn(room, point.chainId), args.tokenB, args.amountB)
  const { confirmations } = chainIn(room, created.event.point.chainId)
  const [source] = await Promise.all([
    requireOnOneChain(room, [created, anchored, deposited, ...appended], confirmations),
    requireOnOneChain(room, [solved], paid),
  ])
  return source
}

async function requireOnOneChain(
  room: Room,
  events: readonly [Proven, ...Proven[]],
  confirmations: number,
): Promise<number> {
  const { chainId } = events[0].event.point
  const head = await room.witnesses.head(chainId)
  const deepEnough = head.number - confirmations
  for (const { event } of events)
    if (event.point.blockNumber > deepEnough) throw new EnclaveError('NOT_CONFIRMED', event.type)
  const numbers = new Set(events.map(({ event }) => event.point.blockNumber))
  const blocks = new Map(
    await Promise.all(
      [...numbers].map(async (number) => {
        return [number, await room.witnesses.block(chainId, number)] as const
      }),
    ),
  )
  for (const { event, transactionIndex } of events) {
    const block = blocks.get(event.point.blockNumber)!
    if (block.hash !== event.point.blockHash) throw new EnclaveError('BLOCK_NOT_CANONICAL')
    if (block.transactions[transactionIndex] !== event.point.transactionHash)
      throw new EnclaveError('EVIDENCE_INVALID', event.type)
  }
  return head.timestamp
}
