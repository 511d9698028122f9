import { bytesToHex, encodeAbiParameters, encodeEventTopics, keccak256, toHex } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import type { EventProof, ProofDocument } from '../../../core/proof/proofDocument.ts'
import { computeReceiptsRoot, proveReceipts } from '../../../core/proof/proveReceipts.ts'
import type { Receipt, ReceiptLog } from '../../../core/proof/receipt.ts'
import type { EventArgs, EventType, Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { computeBloom } from './computeBloom.ts'

export const SOURCE = 84532
export const DESTINATION = 2651420
export const BRIDGE: Hex = `0x${'b1'.repeat(20)}`
export const INTENT = packIntentId(SOURCE, 7n)

const USER: Hex = `0x${'05'.repeat(20)}`
const SOLVER: Hex = `0x${'50'.repeat(20)}`
const TOKEN_A: Hex = `0x${'a0'.repeat(20)}`
const TOKEN_B: Hex = `0x${'b0'.repeat(20)}`
const PARAMS_HASH = paramsHash({
  chainId: SOURCE,
  bridge: BRIDGE,
  user: USER,
  tokenA: TOKEN_A,
  tokenB: TOKEN_B,
  amountA: 1_000_000n,
  expectedAmountB: 990_000n,
  reward: 5_000n,
  destChainId: DESTINATION,
  auctionDuration: 60,
})
const HASH = (of: string): Hex => keccak256(toHex(of))

/** A log as a bridge writes it. */
export function bridgeLog<Type extends EventType>(type: Type, args: EventArgs[Type]): ReceiptLog {
  const event = EVENT_ABI.find(({ name }) => name === type)!
  const values = args as Record<string, unknown>
  const plain = event.inputs.filter(({ indexed }) => !indexed)
  return {
    address: BRIDGE,
    topics: encodeEventTopics({ abi: [event], args: values } as never) as Hex[],
    data: encodeAbiParameters(plain as never, plain.map(({ name }) => values[name!]) as never),
  }
}

type GivenEvent = {
  chainId: number
  blockNumber: number
  timestamp: number
  type: EventType
  log: ReceiptLog
  /** Receipts of the block; the event's is in the middle. Default 5. */
  receipts?: number
  parentHash?: Hex
}

/** A block whose receipts are of all types and that holds the event's log, and the event's proof. */
export async function proveGiven(given: GivenEvent): Promise<EventProof> {
  const size = given.receipts ?? 5
  const transactionIndex = size >> 1
  const other: ReceiptLog = { address: TOKEN_A, topics: [HASH('Other')], data: '0x0102' }
  const receipts = Array.from({ length: size }, (_, index): Receipt => {
    const logs = index === transactionIndex ? [other, given.log] : [other]
    return {
      type: [0x7e, 0, 2, 1, 3, 4][index % 6]!,
      outcome: '0x1',
      cumulativeGasUsed: BigInt(50_000 * (index + 1)),
      logsBloom: computeBloom(logs),
      logs,
      ...(index % 6 === 0 && { deposit: { nonce: BigInt(index), version: 1n } }),
    }
  })
  const encoded = receipts.map(encodeReceipt)
  const receiptsRoot = await computeReceiptsRoot(encoded)
  const header = givenHeader({
    number: toHex(given.blockNumber),
    timestamp: toHex(given.timestamp),
    receiptsRoot,
    logsBloom: computeBloom(receipts.flatMap(({ logs }) => logs)),
    ...(given.parentHash && { parentHash: given.parentHash }),
  })
  const [proof] = await proveReceipts(encoded, receiptsRoot, [transactionIndex])
  return {
    type: given.type,
    chainId: given.chainId,
    blockHash: hashHeader(header),
    header,
    ...proof!,
    logPosition: 1,
    claimed: {
      logIndex: transactionIndex + 1,
      transactionHash: HASH(`transaction ${given.chainId} ${given.blockNumber}`),
      transactionFrom: USER,
    },
  }
}

/** A header with all fields of the Prague fork. */
export function givenHeader(changes: Partial<BlockHeader> = {}): BlockHeader {
  return {
    parentHash: HASH('parent'),
    sha3Uncles: HASH('uncles'),
    miner: `0x${'42'.repeat(20)}`,
    stateRoot: HASH('state'),
    transactionsRoot: HASH('transactions'),
    receiptsRoot: HASH('receipts'),
    logsBloom: bytesToHex(new Uint8Array(256)),
    difficulty: '0x0',
    number: '0x1',
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    timestamp: '0x65f00000',
    extraData: '0x0102',
    mixHash: HASH('mix'),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
    withdrawalsRoot: HASH('withdrawals'),
    blobGasUsed: '0x0',
    excessBlobGas: '0x20000',
    parentBeaconBlockRoot: HASH('beacon'),
    requestsHash: HASH('requests'),
    ...changes,
  }
}

const START = 1_700_000_000

const HISTORY: readonly [chainId: number, seconds: number, type: EventType, log: ReceiptLog][] = [
  [
    SOURCE,
    100,
    'IntentCreated',
    bridgeLog('IntentCreated', {
      intentId: INTENT,
      user: USER,
      destChainId: BigInt(DESTINATION),
      tokenA: TOKEN_A,
      tokenB: TOKEN_B,
      amountA: 1_000_000n,
      expectedAmountB: 990_000n,
      reward: 5_000n,
      endTime: BigInt(START + 160),
      encryptedBlob: `0x0101${'ee'.repeat(510)}`,
    }),
  ],
  [
    SOURCE,
    110,
    'IntentAnchored',
    bridgeLog('IntentAnchored', {
      intentId: INTENT,
      feeBps: 250,
      recipientClass: 1,
      encryptedBlob: '0x',
    }),
  ],
  [
    SOURCE,
    120,
    'BidPlaced',
    bridgeLog('BidPlaced', { intentId: INTENT, solver: SOLVER, amountB: 991_000n }),
  ],
  [
    SOURCE,
    170,
    'SolverDeposited',
    bridgeLog('SolverDeposited', {
      intentId: INTENT,
      solver: SOLVER,
      amountB: 991_000n,
      bond: 50_000n,
      fillDeadline: BigInt(START + 3_770),
    }),
  ],
  [
    DESTINATION,
    200,
    'IntentSolved',
    bridgeLog('IntentSolved', {
      chain2IntentId: 3n,
      sourceChainId: BigInt(SOURCE),
      intentId: INTENT,
      paramsHash: PARAMS_HASH,
      solver: SOLVER,
      tokenB: TOKEN_B,
      amountB: 991_000n,
    }),
  ],
  [
    SOURCE,
    230,
    'IntentSettled',
    bridgeLog('IntentSettled', {
      intentId: INTENT,
      solver: SOLVER,
      payout: 1_030_000n,
      fee: 25_000n,
      chain2IntentId: 3n,
      attester: `0x${'a7'.repeat(20)}`,
    }),
  ],
]

/** The deployment of the source chain's bridge. */
function proveDeployment(): Promise<EventProof> {
  return proveGiven({
    chainId: SOURCE,
    blockNumber: 1,
    timestamp: START,
    type: 'BridgeDeployed',
    log: bridgeLog('BridgeDeployed', {
      registry: USER,
      treasury: USER,
      forfeitReceiver: USER,
      minAuctionDuration: 20,
      firmSeconds: 30,
      pickupWindow: 60,
      executionWindow: 3_600,
      settlementGrace: 3_600,
    }),
  })
}

let proven: Promise<EventProof[]> | undefined

/** Proofs of a completed intent's events on two chains, each chain's in order; made once. */
function proveHistory(): Promise<EventProof[]> {
  proven ??= Promise.all(
    HISTORY.map(([chainId, seconds, type, log], index) =>
      proveGiven({
        chainId,
        blockNumber: 10 + index * 2,
        timestamp: START + seconds,
        type,
        log,
        // The last block has more than 128, so keys of one and of two bytes.
        receipts: index === HISTORY.length - 1 ? 260 : 3 + index,
      }),
    ),
  )
  return proven
}

/** The whole document of that intent. */
export async function givenDocument(changes: Partial<ProofDocument> = {}): Promise<ProofDocument> {
  return {
    format: 'cairn-intent-proof',
    version: 1,
    intentId: String(INTENT),
    sourceChainId: SOURCE,
    bridges: [
      { chainId: SOURCE, name: 'base_sepolia', address: BRIDGE },
      { chainId: DESTINATION, name: 'horizen_testnet', address: BRIDGE },
    ],
    deployment: await proveDeployment(),
    events: await proveHistory(),
    page: { after: null, next: null },
    ...changes,
  }
}
