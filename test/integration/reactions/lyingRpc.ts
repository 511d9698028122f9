import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  getAbiItem,
  type Hex,
  pad,
  toEventSelector,
} from 'viem'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { parseRpcReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import { computeReceiptsRoot } from '../../../core/proof/proveReceipts.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { requestNode } from '../../rig/requestNode.ts'
import { computeBloom } from '../../unit/proof/computeBloom.ts'

/** The delivery that the lie is about. */
export type FalseDelivery = {
  bridge: Hex
  sourceChainId: number
  intentId: bigint
  chain2IntentId: bigint
  paramsHash: Hex
  solver: Hex
  tokenB: Hex
  payments: { to: Hex; amount: bigint }[]
}

export type LyingRpc = {
  url: string
  /** The false block: everything in it hashes as it should. */
  block: { number: number; hash: Hex; timestamp: number; transactionHash: Hex }
  close(): Promise<void>
}

type Json = Record<string, unknown>

/**
 * A provider that passes everything on to an honest node, except that one of its blocks holds a
 * delivery that never was: receipt, trie and header are made anew, so that no proof from them fails.
 *
 * @param number a block of the node with at least one transaction
 */
export async function startLyingRpc(
  rpc: string,
  number: number,
  lie: FalseDelivery,
): Promise<LyingRpc> {
  const ask = requestNode(rpc)
  const height = `0x${number.toString(16)}`
  const block = (await ask('eth_getBlockByNumber', [height, false])) as Json
  const receipts = (await ask('eth_getBlockReceipts', [height])) as Json[]
  const first = receipts[0] as Json
  const transactionHash = first.transactionHash as Hex
  const logs = logsOf(lie)
  Object.assign(first, { status: '0x1', logs, logsBloom: computeBloom(logs as never) })
  const header: BlockHeader = {
    ...parseRpcHeader(block),
    receiptsRoot: await computeReceiptsRoot(
      receipts.map((one) => encodeReceipt(parseRpcReceipt(one))),
    ),
  }
  const hash = hashHeader(header)
  Object.assign(block, header, { hash })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const result = await answer(method, params).catch(() => null)
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })

  async function answer(method: string, params: unknown[]): Promise<unknown> {
    if (method === 'eth_getBlockByNumber' && params[0] === height) return block
    if (method === 'eth_getBlockByHash' && params[0] === hash) return block
    if (method === 'eth_getBlockReceipts' && (params[0] === height || params[0] === hash))
      return receipts
    if (method === 'eth_getTransactionReceipt' && params[0] === transactionHash) return first
    return ask(method, params)
  }

  // An idle connection that ends just as it is used again would be a fault that no test asked for.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    block: { number, hash, timestamp: Number(block.timestamp), transactionHash },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The token's payments, then the bridge's word that this is the delivery. */
function logsOf(lie: FalseDelivery): Json[] {
  const total = lie.payments.reduce((sum, { amount }) => sum + amount, 0n)
  const transfer = toEventSelector(getAbiItem({ abi: erc20Abi, name: 'Transfer' }))
  const payments = lie.payments.map(({ to, amount }) => ({
    address: lie.tokenB,
    topics: [transfer, pad(lie.solver), pad(to)],
    data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
  }))
  const solved = {
    address: lie.bridge,
    topics: encodeEventTopics({
      abi: bridgeIntentV2Abi,
      eventName: 'IntentSolved',
      args: {
        chain2IntentId: lie.chain2IntentId,
        sourceChainId: BigInt(lie.sourceChainId),
        intentId: lie.intentId,
      },
    }),
    data: encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }],
      [lie.solver, lie.tokenB, total],
    ),
  }
  return [...payments, solved].map((log, at) => ({ ...log, logIndex: `0x${at.toString(16)}` }))
}
