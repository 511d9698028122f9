import { keccak256, pad, toHex } from 'viem'
import { packIntentId } from '../core/intent/intentId.ts'
import type { OpenedBlob } from '../services/enclave/enclaveInterface.ts'
import type { RecoveringEnclave } from '../services/relayer/recovery/recoverChain.ts'
import type { BridgeEvent, Hex } from '../src/event/bridgeEvent.ts'

/** The chain of the invented histories. */
export const SEALED_CHAIN = {
  chainId: 84532,
  bridge: `0x${'b1'.repeat(20)}` as Hex,
  startBlock: 1,
}
export const DESTINATION = 2651420

/** What a blob contains. */
export type Sealed = {
  n?: number
  recipients?: Hex[]
  /** Which of the recipients are registered. */
  registered?: { position: number; isContract: boolean }[]
  isSigned?: boolean
}

const account = (digit: string): Hex => `0x${digit.repeat(40)}`

/** A fake enclave: it opens what it has sealed, without any cryptography. */
export function createSealer() {
  const contents = new Map<Hex, Sealed>()
  /** Intents whose Safes it can't derive. */
  const lacking = new Set<bigint>()
  const open = (blob: Hex): OpenedBlob => {
    const sealed = contents.get(blob)
    if (!sealed) return { ok: false, reason: 'NOT_A_BLOB' }
    const { n = 0, recipients = [account('c')], registered = [], isSigned = false } = sealed
    const signature = isSigned ? { signature: '0x' } : {}
    const opened = { n, recipients, registered, ...signature }
    return { ok: true, keyId: '0x00000001', contents: opened } as unknown as OpenedBlob
  }
  const enclave: RecoveringEnclave = {
    openBlobs: async ({ blobs }) => ({ opened: blobs.map(({ blob }) => open(blob as Hex)) }),
    deriveStealths: async ({ deliveries }) => ({
      derived: deliveries.map(({ recipientAddress, index = 0, ...delivery }) => {
        const intentId = BigInt(delivery.intentId)
        if (lacking.has(intentId)) return null
        const safe = keccak256(toHex(`${intentId} ${index}`)).slice(0, 42) as Hex
        const key = `0x04${'07'.repeat(64)}` as Hex
        const keys = { spendPubKey: key, viewPubKey: key, ephemeralPubKey: key }
        const ticket = `0x${'01'.repeat(98)}` as Hex
        const tag = keccak256(recipientAddress as Hex)
        const place = { stealthAddress: safe, safeAddress: safe, viewTag: 1, saltNonce: 1n }
        return { tag, ticket, ...keys, ...place }
      }),
    }),
  }
  return {
    enclave,
    lacking,
    open,
    /** @param size in bytes; a real blob's is a multiple of 512 */
    seal(sealed: Sealed, size = 512): Hex {
      const blob = pad(toHex(contents.size + 1), { size })
      contents.set(blob, sealed)
      return blob
    },
  }
}

/** A creation, an anchor or an appended blob; by default, each sequence has its own block. */
export function sealedEvent(
  type: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended',
  sequence: number,
  encryptedBlob: Hex,
  blockNumber = sequence,
  logIndex = 0,
): BridgeEvent {
  const { chainId, bridge: address } = SEALED_CHAIN
  const intentId = packIntentId(chainId, BigInt(sequence))
  const blockTimestamp = 1_800_000_000 + blockNumber
  const point = {
    chainId,
    blockNumber,
    blockHash: pad('0x1'),
    blockTimestamp,
    logIndex,
    transactionHash: pad('0x1'),
    transactionFrom: account('1'),
  }
  const carried = { intentId, encryptedBlob }
  if (type === 'IntentAnchored')
    return { type, address, point, args: { ...carried, feeBps: 250, recipientClass: 2 } }
  if (type === 'BlobAppended') return { type, address, point, args: { ...carried, kind: 1 } }
  const args = {
    ...carried,
    user: account('1'),
    tokenA: account('a'),
    tokenB: account('b'),
    destChainId: BigInt(DESTINATION),
    amountA: 10n ** 9n,
    expectedAmountB: 10n ** 21n,
    reward: 10n ** 7n,
    endTime: BigInt(blockTimestamp + 60),
  }
  return { type, address, point, args }
}
