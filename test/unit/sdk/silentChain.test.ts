import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  parseAbiParameters,
  RpcRequestError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createIntentHandle } from '../../../sdk/client/intentHandle.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const ID = (84532n << 64n) + 7n
const BRIDGE = `0x${'b1'.repeat(20)}` as const
const REFUNDABLE_AT = 1_795_000_000

/** The bridge's log of the refund. */
function refunded() {
  const args = { intentId: ID, user: account.address }
  const topics = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'IntentRefunded', args })
  const amounts = parseAbiParameters('uint256, uint256, uint8')
  return { address: BRIDGE, topics, data: encodeAbiParameters(amounts, [100n, 0n, 0]) }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Refunds an intent, this long after it is due, on a chain whose latest block is older. */
async function refundAfter(seconds: number) {
  vi.setSystemTime((REFUNDABLE_AT + seconds) * 1_000)
  const args = [ID, BigInt(REFUNDABLE_AT)] as const
  const data = encodeErrorResult({ abi: bridgeIntentV2Abi, errorName: 'NotRefundableYet', args })
  const error = { code: 3, message: 'execution reverted', data }
  const publicClient = {
    call: async () => {
      throw new RpcRequestError({ body: {}, url: 'http://node', error })
    },
    waitForTransactionReceipt: async () => ({ status: 'success', logs: [refunded()] }),
  }
  const sent: { gas?: bigint }[] = []
  const walletClient = {
    account,
    getChainId: async () => 84532,
    request: async () => '0x7',
    sendTransaction: async (transaction: { gas?: bigint }) => {
      sent.push(transaction)
      return `0x${'77'.repeat(32)}`
    },
  }
  const chain = { name: 'base_sepolia', chainId: 84532, bridge: BRIDGE }
  const context = { chains: [{ ...chain, publicClient }], walletClient } as never
  const result = await createIntentHandle(context, ID)
    .refund()
    .catch((failure: unknown) => failure)
  return { result, sent }
}

test('a refund that is due in the next block is sent, although the latest one refuses it', async () => {
  const { result, sent } = await refundAfter(61)
  expect(result).toMatchObject({ status: 'success' })
  expect(sent).toMatchObject([{ gas: 1_000_000n }])
})

test('a refund that isn’t due by our clock, or only by a clock that is slightly ahead, isn’t sent', async () => {
  for (const seconds of [-100, 59]) {
    const { result, sent } = await refundAfter(seconds)
    expect(result).toMatchObject({
      retryable: true,
      details: { errorName: 'NotRefundableYet' },
    })
    expect((result as Error).message).toContain('refunded before 2026-11-18T11:06:40.000Z: if')
    expect(sent).toEqual([])
  }
})
