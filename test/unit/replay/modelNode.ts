import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberToHex, toFunctionSelector } from 'viem'
import type { BridgeEventOf, Hex, LogPoint } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { encodeChainLog } from '../event/encodeLog.ts'
import { account } from '../projection/model/chainModel.ts'

/** Every model chain's. */
const VAULT = account(0xa7)

const COUNT = toFunctionSelector('getLatestIntentId()')

type Call = { id: number; method: string; params: unknown[] }

/** A node that serves a model chain's history over JSON-RPC, with the faults of real ones on demand. */
export type ModelNode = {
  url: string
  /** Widths of the log ranges that were asked for, in order. */
  widths: number[]
  faults: {
    /** Refuses wider ranges of logs. */
    widest: number
    /** Called before each log request; may change the chain under the reader. */
    beforeLogs: (from: number, to: number) => void
    /** Blocks from here on have other hashes: a reorg has replaced them. */
    replacedFrom: number
    /** The node doesn't know blocks above this one, and leaves their logs out. */
    knowsUpTo: number
    /** The node keeps the state of its head alone: it can't say what was held at a block. */
    hasNoState: boolean
  }
  stop(): Promise<void>
}

export async function startModelNode(
  chainId: number,
  events: readonly ChainEvent[],
  head: number,
): Promise<ModelNode> {
  const faults: ModelNode['faults'] = {
    widest: Number.POSITIVE_INFINITY,
    beforeLogs: () => {},
    replacedFrom: Number.POSITIVE_INFINITY,
    knowsUpTo: head,
    hasNoState: false,
  }
  const widths: number[] = []
  const history = historyOf(events)
  const answer = ({ method, params }: Call): unknown => {
    const known = Math.min(head, faults.knowsUpTo)
    switch (method) {
      case 'eth_chainId':
        return quantity(chainId)
      case 'eth_getBlockByNumber': {
        const number = params[0] === 'latest' ? known : Number(params[0])
        return number > known ? null : history.header(number, number >= faults.replacedFrom)
      }
      case 'eth_getTransactionByHash':
        return history.transaction(params[0] as Hex, faults.replacedFrom)
      case 'eth_call':
        if (faults.hasNoState && params[1] !== 'latest') throw new Error('missing trie node')
        return (params[0] as { data: Hex }).data === COUNT
          ? history.latestIntentId(Number(params[1]))
          : `0x${'f'.repeat(64)}`
      case 'eth_getLogs': {
        const filter = params[0] as { fromBlock: Hex; toBlock: Hex; address: Hex | Hex[] }
        const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
        widths.push(to - from + 1)
        if (to - from + 1 > faults.widest) throw new Error('query returns too many blocks')
        faults.beforeLogs(from, to)
        const requested = new Set([filter.address].flat())
        return history
          .logs(from, Math.min(to, known), faults.replacedFrom)
          .filter(({ address }) => requested.has(address))
      }
      default:
        throw new Error(`${method} is not served here`)
    }
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const calls = JSON.parse(body) as Call | Call[]
      const answers = [calls].flat().map((call) => reply(call, answer))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    widths,
    faults,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function reply(call: Call, answer: (call: Call) => unknown): object {
  const { id } = call
  try {
    return { jsonrpc: '2.0', id, result: answer(call) }
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: -32602, message: (error as Error).message } }
  }
}

function historyOf(events: readonly ChainEvent[]) {
  const points = new Map(events.map(({ point }) => [point.blockNumber, point]))
  const transactions = new Map(events.map(({ point }) => [point.transactionHash, point]))
  const blocks = [...points.values()].toSorted((a, b) => a.blockNumber - b.blockNumber)
  const hashOf = (number: number, replaced: boolean): Hex => {
    const hash = points.get(number)?.blockHash ?? `0x${number.toString(16).padStart(64, '0')}`
    return replaced ? `0xff${hash.slice(4)}` : hash
  }
  return {
    header: (number: number, replaced: boolean) => ({
      number: quantity(number),
      hash: hashOf(number, replaced),
      logsBloom: `0x${'0'.repeat(512)}`,
      timestamp: quantity(timeOf(number, blocks)),
    }),
    latestIntentId: (block: number) => {
      const created = events.filter(
        ({ type, point }) => type === 'IntentCreated' && point.blockNumber <= block,
      )
      return numberToHex(
        (created.at(-1) as BridgeEventOf<'IntentCreated'> | undefined)?.args.intentId ?? 0n,
        { size: 32 },
      )
    },
    transaction: (hash: Hex, replacedFrom: number) => {
      const point = transactions.get(hash)
      if (!point) return null
      const { blockNumber, transactionFrom: from } = point
      return { hash, from, blockHash: hashOf(blockNumber, blockNumber >= replacedFrom) }
    },
    logs: (from: number, to: number, replacedFrom: number) =>
      events
        .filter(({ point }) => point.blockNumber >= from && point.blockNumber <= to)
        // Nodes may answer in any order.
        .toReversed()
        .map((event) => ({
          ...encodeChainLog(event, VAULT),
          blockNumber: quantity(event.point.blockNumber),
          blockHash: hashOf(event.point.blockNumber, event.point.blockNumber >= replacedFrom),
          transactionHash: event.point.transactionHash,
          logIndex: quantity(event.point.logIndex),
        })),
  }
}

/** Blocks without an event come a second apart, and never later than the next one with an event. */
function timeOf(number: number, blocks: readonly LogPoint[]): number {
  const before = blocks.findLast(({ blockNumber }) => blockNumber <= number)
  const after = blocks.find(({ blockNumber }) => blockNumber > number)
  const since = before ? before.blockTimestamp + number - before.blockNumber : 1
  return Math.min(since, after?.blockTimestamp ?? since)
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`
}
