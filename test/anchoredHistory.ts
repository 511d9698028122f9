import { createHash } from 'node:crypto'
import { packIntentId } from '../core/intent/intentId.ts'
import type { Enclave } from '../services/enclave/enclaveInterface.ts'
import type { EventPart } from '../services/relayer/recovery/recoverChain.ts'
import type { BridgeEvent, Hex } from '../src/event/bridgeEvent.ts'
import { paramsHash } from '../src/event/paramsHash.ts'

/** The chain of `generateAnchoredHistory`: one block per intent, starting at block 1. */
export const ANCHORED_CHAIN = {
  chainId: 84532,
  bridge: `0x${'b1'.repeat(20)}` as Hex,
  startBlock: 1,
}

/** Yields the events of `count` intents, each created without a blob and anchored with one this enclave sealed. */
export async function* generateAnchoredHistory(
  enclave: Pick<Enclave, 'sealBlob'>,
  intents: number,
  intentsOfPart: number,
): AsyncGenerator<EventPart> {
  for (let from = 1; from <= intents; from += intentsOfPart) {
    const to = Math.min(from + intentsOfPart - 1, intents)
    const events: BridgeEvent[] = []
    for (let sequence = from; sequence <= to; sequence++) {
      events.push(...(await intentEvents(enclave, sequence)))
    }
    yield { to, events }
  }
}

/** Auction length in seconds. */
const AUCTION = 60

async function intentEvents(
  sealer: Pick<Enclave, 'sealBlob'>,
  sequence: number,
): Promise<BridgeEvent[]> {
  const intentId = packIntentId(ANCHORED_CHAIN.chainId, BigInt(sequence))
  const { chainId, bridge } = ANCHORED_CHAIN
  const account = (digit: string): Hex => `0x${digit.repeat(40)}`
  const blockTimestamp = 1_800_000_000 + sequence
  const args = {
    intentId,
    user: account('1'),
    tokenA: account('a'),
    tokenB: account('b'),
    destChainId: 2651420n,
    amountA: 10n ** 9n,
    expectedAmountB: 10n ** 21n,
    reward: 10n ** 7n,
    endTime: BigInt(blockTimestamp + AUCTION),
    encryptedBlob: '0x' as Hex,
  }
  const digest = sha256(`ciphertext ${sequence}`)
  const { blob } = await sealer.sealBlob({
    sourceChainId: chainId,
    bridge,
    user: args.user,
    intentId,
    paramsHash: paramsHash({ ...args, chainId, bridge, auctionDuration: AUCTION }),
    recipients: [account('c'), account('d')],
    amounts: [10n ** 20n, 10n ** 19n],
    n: 1,
    salt: sha256(`salt ${sequence}`),
    createdAt: blockTimestamp,
    recipientClass: 2,
  })
  const point = {
    chainId,
    blockNumber: sequence,
    blockHash: digest,
    blockTimestamp,
    logIndex: 0,
    transactionHash: digest,
    transactionFrom: args.user,
  }
  const anchor = { intentId, feeBps: 250, recipientClass: 2, encryptedBlob: blob }
  return [
    { type: 'IntentCreated', address: bridge, point, args },
    { type: 'IntentAnchored', address: bridge, point: { ...point, logIndex: 1 }, args: anchor },
  ]
}

/** Spreads ids as unpredictably as digests would. */
function sha256(text: string): Hex {
  return `0x${createHash('sha256').update(text).digest('hex')}`
}
