import { numberToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { FEE_BPS } from '../../../src/money/bps.ts'
import type { ProvenStorage } from './storageProof.ts'
import { findDestinationSlot, findTokenSlot, listRecordSlots } from './storageSlots.ts'

/** An intent's phases, in the order of the contract's `Phase`. */
export const PHASES = ['none', 'open', 'deposited', 'settled', 'cancelled', 'refunded'] as const
export type Phase = (typeof PHASES)[number]

/** The first slot of an intent's record. */
type RecordHead = {
  /** `amountA + reward`, base units of tokenA. */
  escrow: bigint
  /** Seconds. */
  auctionDuration: number
  /** Unix seconds. */
  endTime: number
  /** Unix seconds; 0 until a solver deposits. */
  fillDeadline: number
  tokenIndex: number
  destinationIndex: number
  phase: Phase
  /** 250 or 700; 0 until anchored. */
  feeBps: number
  /** A power of two up to 256; 0 until anchored. */
  recipientClass: number
  quorum: number
  blobAtCreation: boolean
  named: boolean
  asked: boolean
  revealed: boolean
}

/** Everything that the source bridge stores about an intent. Addresses in lower case. */
export type IntentRecord = RecordHead & {
  sender: Hex
  tokenA: Hex
  tokenB: Hex
  amountA: bigint
  /** Base units of tokenA. */
  reward: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  destChainId: number
  paramsHash: Hex
  /** The best bidder until a solver deposits, then the winner; zero before the first bid. */
  solver: Hex
  /** Its bid or commitment, base units of tokenB. */
  amountB: bigint
  /** Zero while there is no blob. */
  blobsHash: Hex
}

/** By the record's fee tier. */
const TIER_BPS = [0, FEE_BPS.unshielded, FEE_BPS.shielded]
const FLAG = { blobAtCreation: 1n, named: 2n, asked: 4n, revealed: 8n }

/** Reads the first slot of a record; null for a value that our bridges never write. */
export function decodeRecordHead(slot: bigint): RecordHead | null {
  const take = createFieldReader(slot)
  const [escrow, auctionDuration, endTime, fillDeadline] = [take(96), take(32), take(32), take(32)]
  const [tokenIndex, destinationIndex, phase, feeTier] = [take(16), take(8), take(8), take(8)]
  const [classLog2, quorum, flags] = [take(8), take(8), take(8)]
  const phaseName = PHASES[Number(phase)]
  const feeBps = TIER_BPS[Number(feeTier)]
  if (phaseName === undefined || feeBps === undefined || classLog2 > 8n) return null
  return {
    escrow,
    auctionDuration: Number(auctionDuration),
    endTime: Number(endTime),
    fillDeadline: Number(fillDeadline),
    tokenIndex: Number(tokenIndex),
    destinationIndex: Number(destinationIndex),
    phase: phaseName,
    feeBps,
    recipientClass: feeBps === 0 ? 0 : 2 ** Number(classLog2),
    quorum: Number(quorum),
    blobAtCreation: (flags & FLAG.blobAtCreation) !== 0n,
    named: (flags & FLAG.named) !== 0n,
    asked: (flags & FLAG.asked) !== 0n,
    revealed: (flags & FLAG.revealed) !== 0n,
  }
}

/**
 * Reads an intent from its bridge's proven storage; null when there is none.
 *
 * @throws StorageProofError when a slot isn't proven
 */
export async function readIntentRecord(
  storage: Pick<ProvenStorage, 'read'>,
  { chainId, bridge, intentId }: { chainId: number; bridge: Hex; intentId: bigint },
): Promise<IntentRecord | null> {
  const [first, ...others] = await Promise.all(listRecordSlots(intentId).map(storage.read))
  const head = decodeRecordHead(first!)
  if (head === null || head.phase === 'none') return null
  const [owner, price, bid, blobs] = others.map(createFieldReader)
  const [sender, reward] = [toAddress(owner!(160)), owner!(96)]
  const [tokenB, expectedAmountB] = [toAddress(price!(160)), price!(96)]
  const [solver, amountB] = [toAddress(bid!(160)), bid!(96)]
  const tokenA = toAddress(await storage.read(findTokenSlot(head.tokenIndex)))
  const destChainId = Number(await storage.read(findDestinationSlot(head.destinationIndex)))
  const amountA = head.escrow - reward
  const terms = { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId }
  const { auctionDuration } = head
  return {
    ...head,
    ...terms,
    sender,
    solver,
    amountB,
    paramsHash: paramsHash({ chainId, bridge, user: sender, ...terms, auctionDuration }),
    blobsHash: numberToHex(blobs!(256), { size: 32 }),
  }
}

/** Reads fields out of a word, low bits first. */
export function createFieldReader(word: bigint): (bits: number) => bigint {
  let left = word
  return (bits) => {
    const taken = left & ((1n << BigInt(bits)) - 1n)
    left >>= BigInt(bits)
    return taken
  }
}

export function toAddress(value: bigint): Hex {
  return numberToHex(value & ((1n << 160n) - 1n), { size: 20 })
}
