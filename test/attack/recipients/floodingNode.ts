import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, pad } from 'viem'

/** A node in front of a real one, with no limit of logs, on a chain where somebody has filled one block with them. */
export type FloodingNode = {
  url: string
  /** Bytes of answers with fake logs that were written before the other end had enough, each. */
  floods: number[]
  close(): Promise<void>
}

type Call = {
  id: unknown
  method: string
  params: [{ fromBlock: Hex; toBlock: Hex; address?: unknown }]
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Observed maximum: 1.12 million logs. */
const LOGS = 1_120_000
const LOGS_A_PIECE = 1_000

/**
 * @param target URL of the real node
 * @param flooded the block, and the Safe that the fake transfers in it name
 */
export async function startFloodingNode(
  target: string,
  flooded: { block: number; safe: Hex },
): Promise<FloodingNode> {
  const floods: number[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const document = JSON.parse(body)
    const calls = (Array.isArray(document) ? document : [document]) as Call[]
    const at = calls.findIndex((call) => isFlooded(call, flooded.block))
    if (at >= 0) {
      floods.push(await writeFlood(response, calls[at] as Call, flooded))
      return
    }
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    response.setHeader('content-type', 'application/json')
    response.end(await answer.text())
  })
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    floods,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Tokens that are named have no fake events. */
function isFlooded({ method, params }: Call, block: number): boolean {
  if (method !== 'eth_getLogs') return false
  const [{ fromBlock, toBlock, address }] = params
  return address === undefined && Number(fromBlock) <= block && block <= Number(toBlock)
}

/** @returns bytes that were written until it was all, or nobody read any more */
async function writeFlood(
  response: ServerResponse,
  { id }: Call,
  { block, safe }: { block: number; safe: Hex },
): Promise<number> {
  let bytes = 0
  let isClosed = false
  const closed = once(response, 'close').then(() => {
    isClosed = true
  })
  response.setHeader('content-type', 'application/json')
  response.write(`[{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[`)
  const log = JSON.stringify({
    address: `0x${'fa'.repeat(20)}`,
    blockNumber: `0x${block.toString(16)}`,
    logIndex: '0x0',
    topics: [TRANSFER, pad('0x', { size: 32 }), pad(safe, { size: 32 })],
    removed: false,
    data: pad('0x01', { size: 32 }),
    transactionIndex: '0x0',
    blockHash: pad('0x01', { size: 32 }),
    transactionHash: pad('0x01', { size: 32 }),
  })
  const piece = `${log},`.repeat(LOGS_A_PIECE)
  for (let written = 0; written < LOGS && !isClosed; written += LOGS_A_PIECE) {
    bytes += piece.length
    if (response.write(piece)) continue
    await Promise.race([once(response, 'drain'), closed])
  }
  response.end(`${log}]}]`)
  return bytes
}
