import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hexToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { createConcurrencyLimiter } from '../../../api/http/limits/concurrencyLimiter.ts'
import {
  createEventProver,
  createProofBudget,
  type ProvableChain,
  provableChains,
} from '../../../api/rest/proof/eventProver.ts'
import { decodeReceipt } from '../../../core/proof/decodeReceipt.ts'
import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { verifyEventProof } from '../../../core/proof/verifyEventProof.ts'
import type { SendRequest } from '../../../services/chain/proof/fetchBlock.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { toEventRow } from '../../../src/projection/eventRow.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { BRIDGE, bridgeLog, INTENT, proveGiven, SOURCE } from './givenProof.ts'

/** A block of one transaction whose log is the event: so its receipt is all of the block. */
const proofs = await Promise.all(
  [1, 2, 3, 4].map((blockNumber) =>
    proveGiven({
      chainId: SOURCE,
      blockNumber,
      timestamp: 1_700_000_000 + blockNumber,
      type: 'BidPlaced',
      log: bridgeLog('BidPlaced', {
        intentId: INTENT,
        solver: BRIDGE,
        amountB: BigInt(blockNumber),
      }),
      receipts: 1,
    }),
  ),
)
const rows: EventRow[] = await Promise.all(
  proofs.map(async (proof) => toEventRow((await verifyEventProof(proof, BRIDGE)).event)),
)

/** Transactions that a node may claim to be in a block. */
const MANY = Array.from({ length: 400 }, (_, at) => `0x${at.toString(16).padStart(64, '0')}`)

/** What a node answers for these blocks. */
const honest: SendRequest = async (method, [parameter]) => {
  const proof = proofs.find(
    ({ header, claimed }) => header.number === parameter || claimed.transactionHash === parameter,
  )!
  if (method === 'eth_getBlockByNumber') {
    return { ...proof.header, hash: proof.blockHash, transactions: [proof.claimed.transactionHash] }
  }
  const receipt = receiptAnswer(proof)
  if (method === 'eth_getTransactionReceipt') return receipt
  if (method === 'eth_getBlockReceipts') return [receipt]
  throw new Error(`no method ${method}`)
}

function receiptAnswer(proof: EventProof) {
  const { type, outcome, cumulativeGasUsed, logsBloom, logs, deposit } = decodeReceipt(
    hexToBytes(proof.receipt),
  )
  const hex = (value: number | bigint) => `0x${value.toString(16)}`
  return {
    type: hex(type),
    status: outcome,
    cumulativeGasUsed: hex(cumulativeGasUsed),
    logsBloom,
    logs,
    transactionHash: proof.claimed.transactionHash,
    transactionIndex: '0x0',
    ...(deposit && {
      depositNonce: hex(deposit.nonce),
      depositReceiptVersion: hex(deposit.version),
    }),
  }
}

const chainOf = (...sends: SendRequest[]): ProvableChain[] => {
  const nodes = sends.map((send, at) => ({ name: `host#${at + 1}`, send, isFailing: () => false }))
  return [{ chainId: SOURCE, name: 'base_sepolia', bridge: BRIDGE, nodes }]
}

/** Counts the requests by method. */
function counted(send: SendRequest): { send: SendRequest; asked: Map<string, number> } {
  const asked = new Map<string, number>()
  return {
    asked,
    send: (method, params) => {
      asked.set(method, (asked.get(method) ?? 0) + 1)
      return send(method, params)
    },
  }
}

const FREE = () => {}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'NOTHING',
    (error: { code?: string; name: string }) => error.code ?? error.name,
  )

describe('a prover of events', () => {
  it('proves events, and caches the proofs', async () => {
    const { send, asked } = counted(honest)
    const prove = createEventProver({ chains: chainOf(send) })
    expect(await prove(rows, FREE)).toEqual(proofs)
    expect(await prove(rows.toReversed(), FREE)).toEqual(proofs.toReversed())
    expect(Object.fromEntries(asked)).toEqual({ eth_getBlockByNumber: 4, eth_getBlockReceipts: 4 })
  })

  it('fetches a block once for concurrent requests', async () => {
    const { send, asked } = counted(honest)
    const prove = createEventProver({ chains: chainOf(send) })
    await Promise.all([1, 2, 3, 4].map(() => prove(rows.slice(0, 1), FREE)))
    expect(asked.get('eth_getBlockByNumber')).toBe(1)
  })

  it('requests receipts one by one if the node lacks eth_getBlockReceipts', async () => {
    for (const lacking of [null, new Error('method not found')]) {
      const { send, asked } = counted(async (method, params) => {
        if (method !== 'eth_getBlockReceipts') return honest(method, params)
        if (lacking instanceof Error) throw lacking
        return lacking
      })
      const prove = createEventProver({ chains: chainOf(send) })
      expect(await prove(rows, FREE)).toEqual(proofs)
      expect(asked.get('eth_getTransactionReceipt')).toBe(4)
    }
  })

  it('doesn’t read the receipts of a block that a stranger has filled with logs', async () => {
    const oversized = new RpcError('oversized', 'the answer exceeds 10485760 bytes')
    const log = { address: BRIDGE, topics: [], data: `0x${'0'.repeat(1_000_000)}` }
    for (const failure of [oversized, new Error('method not found')]) {
      const { send, asked } = counted(async (method, params) => {
        if (method === 'eth_getBlockReceipts') throw failure
        if (method === 'eth_getTransactionReceipt') return { logs: [log, log] }
        return { ...((await honest(method, params)) as object), transactions: MANY }
      })
      const prove = createEventProver({ chains: chainOf(send) })
      expect(await refusal(prove(rows.slice(0, 1), FREE))).toBe('BLOCK_TOO_LARGE')
      expect(asked.get('eth_getTransactionReceipt')).toBe(failure === oversized ? undefined : 8)
    }
  })

  it('calls a block too large only if each of its nodes does', async () => {
    const filled: SendRequest = async (method, params) => {
      if (method === 'eth_getBlockReceipts') throw new RpcError('oversized', 'too long')
      return honest(method, params)
    }
    const absent: SendRequest = () => Promise.reject(new Error('not reachable'))
    const row = rows.slice(0, 1)
    for (const [nodes, expected] of [
      [[filled, filled], 'BLOCK_TOO_LARGE'],
      [[filled, absent], 'RPC_UNREACHABLE'],
      [[filled, honest], 'proven'],
    ] as const) {
      const prove = createEventProver({ chains: chainOf(...nodes) })
      const answer = prove(row, FREE)
      expect(await (expected === 'proven' ? answer.then(() => 'proven') : refusal(answer))).toBe(
        expected,
      )
    }
  })

  it('charges for large receipts, also from the cache, and refuses too many, in one block or several', async () => {
    const large = await Promise.all(
      [9, 10].map((blockNumber) =>
        proveGiven({
          chainId: SOURCE,
          blockNumber,
          timestamp: 1_700_000_000,
          type: 'IntentAnchored',
          log: bridgeLog('IntentAnchored', {
            intentId: INTENT,
            feeBps: 250,
            recipientClass: 1,
            encryptedBlob: `0x${'ee'.repeat(550_000)}`,
          }),
          receipts: 1,
        }),
      ),
    )
    const inBlocks = await Promise.all(
      large.map(async (proof) => toEventRow((await verifyEventProof(proof, BRIDGE)).event)),
    )
    const [row] = inBlocks as [EventRow]
    const send: SendRequest = async (method, [number]) => {
      const proof = large.find(({ header }) => header.number === number)!
      return method === 'eth_getBlockReceipts'
        ? [receiptAnswer(proof)]
        : { ...proof.header, hash: proof.blockHash, transactions: [] }
    }
    const prove = createEventProver({ chains: chainOf(send) })
    const charged: number[] = []
    const charge = (units: number) => void charged.push(units)
    expect(await prove([row], charge)).toEqual(large.slice(0, 1))
    expect(charged.splice(0)).toEqual([1, 4])
    expect(await prove([row], charge)).toEqual(large.slice(0, 1))
    expect(charged).toEqual([4])
    for (const many of [[row, { ...row, logIndex: 100 }], inBlocks])
      expect(await refusal(prove(many, FREE))).toBe('ReceiptsTooLargeError')
    expect(await prove(inBlocks.slice(1), FREE)).toEqual(large.slice(1))
  })

  const faults: [what: string, code: string, ask: SendRequest][] = [
    ['a dead server', 'RPC_UNREACHABLE', () => Promise.reject(new Error('ECONNREFUSED'))],
    ['a server that is behind', 'RPC_UNREACHABLE', async () => null],
    [
      'another block at that height',
      'REORG_IN_PROGRESS',
      async (method, params) => ({
        ...((await honest(method, params)) as object),
        hash: `0x${'12'.repeat(32)}`,
      }),
    ],
    [
      'a header that is not of that hash',
      'PROOF_NOT_VERIFIED',
      async (method, params) => {
        const answer = await honest(method, params)
        return Array.isArray(answer) ? answer : { ...(answer as object), gasUsed: '0x1' }
      },
    ],
    [
      'a header without a field',
      'PROOF_NOT_VERIFIED',
      async (method, params) => {
        const answer = await honest(method, params)
        return Array.isArray(answer) ? answer : { ...(answer as object), receiptsRoot: null }
      },
    ],
    [
      'a changed receipt',
      'PROOF_NOT_VERIFIED',
      async (method, params) => {
        const answer = await honest(method, params)
        if (!Array.isArray(answer)) return answer
        return [{ ...answer[0], cumulativeGasUsed: '0x1' }]
      },
    ],
    [
      'no receipts',
      'PROOF_NOT_VERIFIED',
      async (method, params) => (method === 'eth_getBlockReceipts' ? [] : honest(method, params)),
    ],
    [
      'a receipt twice',
      'PROOF_NOT_VERIFIED',
      async (method, params) => {
        const answer = await honest(method, params)
        return Array.isArray(answer) ? [...answer, ...answer] : answer
      },
    ],
    [
      'rubbish',
      'PROOF_NOT_VERIFIED',
      async (method, params) => (method === 'eth_getBlockReceipts' ? [7] : honest(method, params)),
    ],
  ]

  it.each(faults)('serves nothing from %s: %s', async (_what, code, send) => {
    const prove = createEventProver({ chains: chainOf(send) })
    expect(await refusal(prove(rows.slice(0, 1), FREE))).toBe(code)
    const proveByBoth = createEventProver({ chains: chainOf(send, send) })
    expect(await refusal(proveByBoth(rows.slice(0, 1), FREE))).toBe(code)
  })

  it.each(faults)('serves the next node’s proof despite %s', async (_what, _code, send) => {
    const prove = createEventProver({ chains: chainOf(send, honest) })
    expect(await prove(rows, FREE)).toEqual(proofs)
  })

  it('names the nodes and what each got wrong to the operator alone', async () => {
    const [, , liar] = faults.at(-1)!
    const prove = createEventProver({
      chains: chainOf(() => Promise.reject(new Error('no')), liar),
    })
    const error = await prove(rows.slice(0, 1), FREE).catch((one: Error) => one)
    expect(error).toMatchObject({
      message: expect.stringContaining('None of the 2 nodes of base_sepolia'),
      cause: { message: expect.stringMatching(/^host#1: Block 1 .*; host#2: /) },
    })
    expect((error as Error).message).not.toContain('host')
  })

  it('asks a node last that failed just now', async () => {
    const [chain] = chainOf(() => Promise.reject(new Error('not asked')), honest)
    const [first, second] = chain!.nodes
    const { send, asked } = counted(first!.send)
    const nodes = [{ ...first!, send, isFailing: () => true }, second!]
    const prove = createEventProver({ chains: [{ ...chain!, nodes }] })
    expect(await prove(rows, FREE)).toEqual(proofs)
    expect(asked.size).toBe(0)
  })

  it('gives up a node that takes too long in total, and asks it last from then on', async () => {
    let asked = 0
    const slow: SendRequest = async (method, parameters) => {
      if (method === 'eth_getBlockByNumber')
        return { ...Object(await honest(method, parameters)), transactions: MANY }
      if (method === 'eth_getBlockReceipts') return null
      asked += 1
      await new Promise((resolve) => setTimeout(resolve, 150))
      return receiptAnswer(proofs[0]!)
    }
    const prove = createEventProver({ chains: chainOf(slow, honest), nodeMs: 600 })
    expect(await prove(rows.slice(0, 1), FREE)).toEqual(proofs.slice(0, 1))
    expect(asked).toBeLessThan(MANY.length / 2)
    const before = asked
    expect(await prove(rows, FREE)).toEqual(proofs)
    expect(asked).toBe(before)
  })

  it('waits for a chain’s only node, whose rate limit may make many receipts take long', async () => {
    const slow: SendRequest = async (method, parameters) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return method === 'eth_getBlockReceipts' ? null : honest(method, parameters)
    }
    const prove = createEventProver({ chains: chainOf(slow), nodeMs: 1 })
    expect(await prove(rows, FREE)).toEqual(proofs)
  })

  it('says what a node got wrong, even if the other is silent', async () => {
    const dead: SendRequest = () => Promise.reject(new Error('ECONNREFUSED'))
    const [, code, liar] = faults.at(-1)!
    for (const nodes of [
      [dead, liar],
      [liar, dead],
    ]) {
      const prove = createEventProver({ chains: chainOf(...nodes) })
      expect(await refusal(prove(rows.slice(0, 1), FREE))).toBe(code)
    }
  })

  it('serves nothing that differs from the index', async () => {
    const prove = createEventProver({ chains: chainOf(honest) })
    const changes: Partial<EventRow>[] = [
      { args: { ...rows[0]!.args, amountB: '999' } },
      { type: 'BlobAppended' },
      { logIndex: 0 },
      { logIndex: 7 },
      { transactionHash: `0x${'ab'.repeat(32)}` },
    ]
    for (const change of changes) {
      const row = { ...rows[0]!, ...change }
      expect(await refusal(prove([row], FREE))).toBe('PROOF_NOT_VERIFIED')
    }
  })

  it('charges a client for fetched blocks, but not for cached proofs', async () => {
    const budget = createProofBudget({ burst: 4, perSecond: 1, now: () => 0 })
    const prove = createEventProver({ chains: chainOf(honest), cacheBytes: 1_000_000 })
    await prove(rows, budget('a'))
    await prove(rows, budget('a'))
    const proveAnew = createEventProver({ chains: chainOf(honest), cacheBytes: 0 })
    expect(await refusal(proveAnew(rows.slice(0, 1), budget('a')))).toBe('RATE_LIMITED')
    expect(await refusal(proveAnew(rows.slice(0, 1), budget('b')))).toBe('NOTHING')
  })

  it('doesn’t serve a replaced block’s proof after a reorg', async () => {
    const prove = createEventProver({ chains: chainOf(honest) })
    await prove(rows, FREE)
    const replaced: EventRow = { ...rows[0]!, blockHash: `0x${'12'.repeat(32)}` }
    expect(await refusal(prove([replaced], FREE))).toBe('REORG_IN_PROGRESS')
  })

  it('refuses a caller beyond the queue, and answers the others', async () => {
    const gate = Promise.withResolvers<void>()
    const slow: SendRequest = async (method, params) => {
      await gate.promise
      return honest(method, params)
    }
    const prove = createEventProver({ chains: chainOf(slow), blocksAtOnce: 1, blocksWaiting: 1 })
    const first = prove(rows.slice(0, 1), FREE)
    const second = prove(rows.slice(1, 2), FREE)
    expect(await refusal(prove(rows.slice(2, 3), FREE))).toBe('PROOF_BUSY')
    gate.resolve()
    expect([await first, await second]).toEqual([proofs.slice(0, 1), proofs.slice(1, 2)])
  })

  it('refuses a caller that waits past the deadline; the work continues into the cache', async () => {
    const gate = Promise.withResolvers<void>()
    const { send, asked } = counted(async (method, params) => {
      await gate.promise
      return honest(method, params)
    })
    const prove = createEventProver({ chains: chainOf(send), deadlineMs: 1 })
    expect(await refusal(prove(rows.slice(0, 1), FREE))).toBe('PROOF_BUSY')
    gate.resolve()
    // Whoever comes now shares the work that is under way, or finds its result.
    const eventually = async (): Promise<EventProof[]> =>
      prove(rows.slice(0, 1), FREE).catch(eventually)
    expect(await eventually()).toEqual(proofs.slice(0, 1))
    expect(asked.get('eth_getBlockByNumber')).toBe(1)
  })
})

describe('a budget', () => {
  it('refills with time, and says when', () => {
    let time = 0
    const budget = createProofBudget({ burst: 10, perSecond: 2, now: () => time })
    budget('a')(10)
    expect(() => budget('a')(5)).toThrow(expect.objectContaining({ retryAfter: 3 }))
    time = 2_500
    budget('a')(5)
    expect(() => budget('a')(1)).toThrow()
    budget('b')(10)
  })

  it('lets a request above its burst pass when it is full, however often it charges', () => {
    const budget = createProofBudget({ burst: 10, perSecond: 2, now: () => 0 })
    const charge = budget('a')
    for (const units of [1, 8, 50, 50]) charge(units)
    expect(() => budget('a')(1)).toThrow()
  })

  it('remembers no more clients than its limit', () => {
    const budget = createProofBudget({ burst: 1, perSecond: 1, capacity: 2, now: () => 0 })
    for (const client of ['a', 'b', 'c']) budget(client)(1)
    budget('a')(1)
    expect(() => budget('c')(1)).toThrow()
  })
})

describe('a limiter', () => {
  it('hands slots on in order, and frees them after failures', async () => {
    const limiter = createConcurrencyLimiter(1, 2, () => new Error('busy'))
    const order: number[] = []
    const passing = [1, 2, 3].map((one) =>
      limiter.pass(async () => {
        order.push(one)
        if (one === 1) throw new Error('failed')
      }),
    )
    await Promise.allSettled(passing)
    expect(order).toEqual([1, 2, 3])
    expect(await limiter.pass(async () => 'free')).toBe('free')
  })
})

it('reads no more than 10 MB of an answer', async () => {
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
    const result = method === 'eth_chainId' ? `0x${SOURCE.toString(16)}` : 'f'.repeat(11 << 20)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const rpcUrls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
  const [chain] = provableChains([{ name: 'a', chainId: SOURCE, rpcUrls, bridge: BRIDGE }])
  await expect(chain!.nodes[0]!.send('eth_getBlockReceipts', ['0x1'])).rejects.toThrow('exceeds')
  server.closeAllConnections()
  server.close()
})
