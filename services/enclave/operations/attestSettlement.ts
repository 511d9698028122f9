import { hexToBytes } from 'viem'
import { decodeReceipt } from '../../../core/proof/decodeReceipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { evolve } from '../../../src/intent/evolve.ts'
import { NO_FACTS } from '../../../src/intent/facts.ts'
import { validDeliveryOf } from '../../../src/intent/isValidDelivery.ts'
import { shareSurplus } from '../../../src/money/shareSurplus.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { BlobContents, CheckedRequest, ResponseOf, Settlement } from '../messages.ts'
import { chainIn, type Room } from '../room.ts'
import { paymentsOf } from '../settlement/paymentsOf.ts'
import { proveHistory, type SettlementHistory } from '../settlement/proveHistory.ts'
import { recipientsOf } from '../settlement/recipientsOf.ts'
import { requireAllAppended } from '../settlement/requireAllAppended.ts'
import { requireCanonical } from '../settlement/requireCanonical.ts'
import { ATTESTATION_VALIDITY, settlementTypedData } from '../settlement/settlementTypedData.ts'

/**
 * Attests a delivery. Nothing is believed: the history is proven against headers, the headers are
 * compared with the enclave's own witnesses, who also tell whether a blob was left out, the recipients
 * come out of the blob on chain, and the token's own logs must show that each of them was paid.
 */
export async function attestSettlement(
  room: Room,
  request: CheckedRequest<'attestSettlement'>,
): Promise<ResponseOf<'attestSettlement'>> {
  const { bridge } = chainIn(room, request.sourceChainId)
  const history = await proveHistory(room, request)
  const now = await requireCanonical(room, history)
  const winningAmountB = winningAmountOf(history)
  await requireAllAppended(room, history)
  const contents = await recipientsOf(room, history)
  if (contents === null) throw new EnclaveError('RECIPIENTS_UNKNOWN')
  requirePaid(history, contents, winningAmountB)

  const settlement = settlementOf(history, now + ATTESTATION_VALIDITY)
  const { attester } = room.keyring
  const typedData = settlementTypedData(request.sourceChainId, bridge, settlement)
  const signature = await attester.signTypedData(typedData)
  return { settlement, signature, signer: attester.address.toLowerCase() as Hex }
}

/** Windows of the bridge don't bear on whether a delivery counts: `fillDeadline` is in the log. */
const ANY_TERMS = { pickupWindow: 0, executionWindow: 0, settlementGrace: 0 }

/** What the winner committed to, if the delivery is its own and counts; else throws. */
function winningAmountOf({ created, anchored, deposited, solved }: SettlementHistory): bigint {
  const events = [created, anchored, deposited, solved].map(({ event }) => event)
  const { source, deliveries } = events.reduce(
    (facts, event) => evolve(facts, event, ANY_TERMS),
    NO_FACTS,
  )
  const counts = source !== null && validDeliveryOf({ source, deliveries }) !== null
  if (!counts || source.winningAmountB === null) throw new EnclaveError('NOT_THE_WINNERS_DELIVERY')
  return source.winningAmountB
}

/** Requires that every recipient got its amount and its share of the surplus. */
function requirePaid(
  { solved }: SettlementHistory,
  { recipients, amounts }: BlobContents,
  winningAmountB: bigint,
): void {
  const { logs } = decodeReceipt(hexToBytes(solved.given.receipt))
  const payments = paymentsOf(logs, solved.logPosition, solved.event)
  if (payments === null) throw new EnclaveError('RECIPIENTS_NOT_PAID')
  const total = amounts.reduce((sum, amount) => sum + amount, 0n)
  if (total > winningAmountB) throw new EnclaveError('RECIPIENTS_UNKNOWN', 'amounts')
  const owed = new Map<Hex, bigint>()
  for (const [position, amount] of shareSurplus(amounts, winningAmountB).entries()) {
    const recipient = recipients[position]!
    owed.set(recipient, (owed.get(recipient) ?? 0n) + amount)
  }
  for (const [recipient, amount] of owed)
    if ((payments.get(recipient) ?? 0n) < amount) throw new EnclaveError('RECIPIENTS_NOT_PAID')
}

function settlementOf({ anchored, solved }: SettlementHistory, deadline: number): Settlement {
  const { args, point } = solved.event
  return {
    intentId: args.intentId,
    solver: args.solver,
    destChainId: BigInt(point.chainId),
    chain2IntentId: args.chain2IntentId,
    solveTxHash: point.transactionHash,
    amountB: args.amountB,
    feeBps: anchored.event.args.feeBps,
    deadline: BigInt(deadline),
  }
}
