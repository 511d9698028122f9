import { setTimeout } from 'node:timers/promises'
import {
  createPublicClient,
  decodeErrorResult,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  toHex,
} from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { startAnvil } from '../anvil/startAnvil.ts'

/** A node whose accounts sign by themselves and whose clock the caller sets. */
export type Node = {
  client: PublicClient
  chainId: number
  accounts: Hex[]
  /** Sends a transaction, in a block at the given time if any. It may fail. */
  transact(from: Hex, to: Hex | null, data: Hex, time?: number): Promise<TransactionReceipt>
  /** The same for a transaction that must succeed. */
  succeed(from: Hex, to: Hex | null, data: Hex, time?: number): Promise<TransactionReceipt>
  /** Name of the error with which a failed bridge transaction reverted. */
  errorOf(receipt: TransactionReceipt): Promise<string>
  stop(): Promise<void>
}

const chainId = 84_532
const gas = toHex(20_000_000)

export async function startReplayNode(): Promise<Node> {
  const extraArguments = ['--accounts', '20', '--balance', '1000000']
  const anvil = await startAnvil({ chainId, blockTime: 0, extraArguments })
  const client = createPublicClient({ transport: http(anvil.rpc) })
  const ask = async (method: string, params: unknown[]) =>
    (await client.request({ method, params } as never)) as unknown
  const transact: Node['transact'] = async (from, to, data, time) => {
    if (time !== undefined) await ask('evm_setNextBlockTimestamp', [time])
    const request = { from, data, gas, ...(to === null ? {} : { to }) }
    const hash = (await ask('eth_sendTransaction', [request])) as Hex
    return await receiptOf(client, hash)
  }
  return {
    client,
    chainId,
    accounts: (await ask('eth_accounts', [])) as Hex[],
    transact,
    succeed: async (...request) => {
      const receipt = await transact(...request)
      if (receipt.status !== 'success') throw new Error(`a transaction of ${request[0]} failed`)
      return receipt
    },
    errorOf: async ({ transactionHash }) => {
      const trace = await ask('debug_traceTransaction', [transactionHash, {}])
      const { returnValue } = trace as { returnValue: string }
      const data: Hex = `0x${returnValue.replace(/^0x/, '')}`
      return decodeErrorResult({ abi: bridgeIntentV2Abi, data }).errorName
    },
    stop: anvil.stop,
  }
}

/**
 * Polls, because a transaction is mined at once but visible a moment later; viem's own wait would only check again at
 * the next block.
 */
async function receiptOf(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  for (let patience = 2_000; ; patience -= 1) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (patience === 0) throw error
    }
    await setTimeout(5)
  }
}
