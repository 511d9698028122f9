import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Hex, numberToHex, pad } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { computePolygonStateSyncHash } from '../../../core/proof/computePolygonStateSyncHash.ts'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import { computeReceiptsRoot } from '../../../core/proof/proveReceipts.ts'
import type { Receipt, ReceiptLog } from '../../../core/proof/receipt.ts'
import type { ChainLog } from '../../../services/chain/history/rpcSchemas.ts'
import { resolveLogConflict } from '../../../services/chain/proof/resolveLogConflict.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { computeBloom } from '../proof/computeBloom.ts'
import { givenHeader } from '../proof/givenProof.ts'

const CHAIN_ID = 84_532
const HEIGHT = 40
/** The block with a log, in the second of its two transactions. */
const BLOCK = 17
const LOG = logOf('0x01')
const INVENTED = logOf('0x02')

type Block = { header: BlockHeader; hash: Hex; receipts: object[]; transactions: Hex[] }

function logOf(data: Hex): ReceiptLog {
  return { address: pad('0xb1', { size: 20 }), topics: [pad('0x70', { size: 32 })], data }
}

/** A block with a transaction for each list of logs. */
async function blockOf(number: number, parentHash: Hex, logs: ReceiptLog[][]): Promise<Block> {
  const receipts = logs.map(
    (own, index): Receipt => ({
      type: 2,
      outcome: '0x1',
      cumulativeGasUsed: BigInt(index + 1),
      logs: own,
      logsBloom: computeBloom(own),
    }),
  )
  const header = givenHeader({
    number: numberToHex(number),
    parentHash,
    logsBloom: computeBloom(logs.flat()),
    receiptsRoot: await computeReceiptsRoot(receipts.map(encodeReceipt)),
  })
  const transactions = logs.map((_, index) => pad(numberToHex(number * 10 + index), { size: 32 }))
  return {
    header,
    hash: hashHeader(header),
    transactions,
    receipts: receipts.map((receipt, index) => receiptAnswer(receipt, index, transactions[index]!)),
  }
}

function receiptAnswer(receipt: Omit<Receipt, 'outcome'>, index: number, transactionHash: Hex) {
  const { logs, logsBloom } = receipt
  return {
    type: '0x2',
    status: '0x1',
    cumulativeGasUsed: numberToHex(receipt.cumulativeGasUsed),
    logs,
    logsBloom,
    transactionHash,
    transactionIndex: numberToHex(index),
  }
}

async function chainWith(logs: ReceiptLog[][], from: readonly Block[] = []): Promise<Block[]> {
  const blocks = [...from]
  for (let number = blocks.length; number <= HEIGHT; number++) {
    const parent = blocks[number - 1]?.hash ?? pad('0x00', { size: 32 })
    blocks.push(await blockOf(number, parent, number === BLOCK ? logs : [[]]))
  }
  return blocks
}

type Lie = (method: string, block: Block | undefined, honest: unknown) => unknown

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** A node of this chain, and what it says otherwise. */
async function serve(blocks: readonly Block[], lie: Lie = (_, __, honest) => honest) {
  const answer = (method: string, [of]: Hex[]) => {
    if (method === 'eth_chainId') return numberToHex(CHAIN_ID)
    const block =
      method === 'eth_getTransactionReceipt'
        ? blocks.find(({ transactions }) => transactions.includes(of as Hex))
        : blocks[Number(of)]
    return lie(method, block, honestAnswer(method, block, of as Hex))
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method, params } = JSON.parse(text)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function honestAnswer(method: string, block: Block | undefined, of: Hex): unknown {
  if (block === undefined) return null
  const { header, hash, receipts, transactions } = block
  if (method === 'eth_getBlockByNumber') return { ...header, hash, transactions }
  if (method === 'eth_getBlockReceipts') return receipts
  return receipts[transactions.indexOf(of)]
}

let chain: Block[]
let empty: Block
beforeAll(async () => {
  chain = await chainWith([[], [LOG]])
  empty = (await chainWith([[]]))[BLOCK]!
})

function given(log: ReceiptLog, block: Block = chain[BLOCK]!): ChainLog[] {
  const { hash: blockHash, transactions } = block
  const transactionHash = transactions.at(-1)!
  return [{ ...log, blockNumber: BLOCK, blockHash, transactionHash, logIndex: 0 } as ChainLog]
}

/** Which of two providers is quarantined, where the first gives some logs and the second others. */
async function judged(urls: string[], first: ChainLog[], second: ChainLog[]) {
  const pool = createRpcPool({ chainId: CHAIN_ID, rpcUrls: urls })
  const [one, other] = pool.providers as [(typeof pool.providers)[0], (typeof pool.providers)[0]]
  const convicted = await resolveLogConflict(
    pool,
    { logs: first, provider: one },
    { logs: second, provider: other },
    HEIGHT,
  )
  const quarantined = pool.providers.filter(({ quarantine }) => quarantine !== undefined)
  expect(quarantined).toEqual(convicted === null ? [] : [convicted])
  return convicted === null ? null : pool.providers.indexOf(convicted)
}

describe('a provider that leaves out a log is the one that is convicted', () => {
  const lies: [string, Lie][] = [
    ['gives true receipts', (_, __, honest) => honest],
    [
      'says that there is no such transaction',
      (_, block, honest) => {
        if (block?.hash !== chain[BLOCK]!.hash) return honest
        const { header, hash, transactions } = block
        return { ...header, hash, transactions: transactions.slice(0, 1) }
      },
    ],
    [
      'forges the receipts',
      (method, block, honest) =>
        method === 'eth_getBlockReceipts' && block?.hash === chain[BLOCK]!.hash
          ? empty.receipts
          : method === 'eth_getTransactionReceipt'
            ? null
            : honest,
    ],
    [
      'forges the block under its true hash',
      (method, block, honest) => {
        if (block?.hash !== chain[BLOCK]!.hash) return honest
        if (method === 'eth_getBlockReceipts') return empty.receipts
        return { ...empty.header, hash: block.hash, transactions: empty.transactions }
      },
    ],
    [
      'forges a whole block',
      (method, block, honest) => {
        if (block?.hash !== chain[BLOCK]!.hash) return honest
        if (method === 'eth_getBlockReceipts') return empty.receipts
        return { ...empty.header, hash: empty.hash, transactions: empty.transactions }
      },
    ],
  ]
  test.each(lies)('when it %s', async (_, lie) => {
    const urls = [await serve(chain), await serve(chain, lie)]
    expect(await judged(urls, given(LOG), [])).toBe(1)
    expect(await judged(urls.toReversed(), [], given(LOG))).toBe(0)
  })
})

describe('a provider that makes up a log is the one that is convicted', () => {
  const forged = (block: Block, logs: ReceiptLog[], transactionHash: Hex) =>
    receiptAnswer(
      { type: 2, cumulativeGasUsed: 9n, logsBloom: computeBloom(logs), logs },
      block.receipts.length,
      transactionHash,
    )
  const lies: [string, Lie][] = [
    ['gives true receipts', (_, __, honest) => honest],
    [
      'forges receipts',
      (method, block, honest) =>
        method === 'eth_getBlockReceipts' && block
          ? [...block.receipts, forged(block, [INVENTED], pad('0x99', { size: 32 }))]
          : honest,
    ],
    [
      'hides it in the receipt that no root covers',
      (method, block, honest) =>
        method === 'eth_getBlockReceipts' && block
          ? [
              ...block.receipts,
              forged(block, [INVENTED], computePolygonStateSyncHash(BLOCK, block.hash)),
            ]
          : honest,
    ],
  ]
  test.each(lies)('when it %s', async (_, lie) => {
    const urls = [await serve(chain, lie), await serve(chain)]
    const both = [...given(LOG), { ...given(INVENTED)[0]!, logIndex: 1 }]
    expect(await judged(urls, both, given(LOG))).toBe(0)
    expect(await judged(urls.toReversed(), given(LOG), both)).toBe(1)
  })

  test('though the other has no receipts: its own convict it, and forged ones convict nobody', async () => {
    const pruned: Lie = (method, _, honest) =>
      method.endsWith('Receipts') || method.endsWith('Receipt') ? null : honest
    const both = [...given(LOG), { ...given(INVENTED)[0]!, logIndex: 1 }]
    for (const [what, lie] of lies) {
      const urls = [await serve(chain, lie), await serve(chain, pruned)]
      const convicted = await judged(urls, both, given(LOG))
      expect(convicted, what).toBe(what === 'forges receipts' ? null : 0)
    }
  })

  test('when it gives a log twice; another number for it proves nothing', async () => {
    const urls = [await serve(chain), await serve(chain)]
    const [log] = given(LOG)
    expect(await judged(urls, [log!, { ...log!, logIndex: 999 }], [log!])).toBe(0)
    expect(await judged(urls, [{ ...log!, logIndex: 999 }], [log!])).toBeNull()
  })

  test('when it names a block that the chain doesn’t have, or forges one', async () => {
    const [log] = given(INVENTED)
    const elsewhere = { ...log!, blockHash: empty.hash }
    expect(await judged([await serve(chain), await serve(chain)], [elsewhere], [])).toBe(0)
    const other = await chainWith([[], [INVENTED]], chain.slice(0, BLOCK))
    const fork = [...other.slice(0, BLOCK + 9), ...chain.slice(BLOCK + 9)]
    const urls = [await serve(fork), await serve(chain)]
    expect(await judged(urls, given(INVENTED, other[BLOCK]!), given(LOG))).toBe(0)
  })
})

test('where nothing can be proven nobody is convicted but one that contradicts itself', async () => {
  // A chain whose headers have a field that we don't know.
  const strange: Lie = (method, _, honest) =>
    method === 'eth_getBlockByNumber' ? { ...(honest as object), nonce: '0x' } : honest
  const urls = [await serve(chain, strange), await serve(chain, strange)]
  expect(await judged(urls, [...given(LOG), ...given(INVENTED)], given(LOG))).toBeNull()
  expect(await judged(urls, given(LOG), [])).toBe(1)
})

test('providers that give the same are not judged', async () => {
  const urls = [await serve(chain), await serve(chain)]
  expect(await judged(urls, given(LOG), given(LOG))).toBeNull()
})
