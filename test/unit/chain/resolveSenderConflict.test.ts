import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keccak256, numberToHex, pad, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveSenderConflict } from '../../../services/chain/proof/resolveSenderConflict.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const CHAIN_ID = 84_532
const owner = privateKeyToAccount(pad('0x07', { size: 32 }))
const from = owner.address.toLowerCase() as Hex
const stranger = pad('0xba', { size: 20 })

let node: Server
let shown: object | null
beforeAll(async () => {
  node = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method } = JSON.parse(text)
    const result = method === 'eth_chainId' ? numberToHex(CHAIN_ID) : shown
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  node.close()
  node.closeAllConnections()
})

const common = { nonce: 0, gas: 90_000n, to: stranger, value: 5n, data: '0x1234' } as const
const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }
const accessList = [{ address: stranger, storageKeys: [pad('0x01', { size: 32 })] }]
const kinds = {
  legacy: { type: 'legacy', gasPrice: 0n },
  eip2930: { type: 'eip2930', gasPrice: 7n, accessList },
  eip1559: { type: 'eip1559', ...fees },
} as const
const typeNumbers = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2' }

/** A signed transaction as nodes show it. */
async function signed(kind: keyof typeof kinds) {
  const request = { ...common, chainId: CHAIN_ID, ...kinds[kind] }
  const bytes = await owner.signTransaction(request as never)
  const { r, s, v, yParity } = parseTransaction(bytes as Hex) as never as Record<string, never>
  const numbers = Object.entries({ ...request, v: v ?? yParity, yParity }).flatMap(
    ([key, value]) =>
      typeof value === 'bigint' || typeof value === 'number' ? [[key, numberToHex(value)]] : [],
  )
  const { data: input, to } = common
  const lists = kind === 'legacy' ? {} : { accessList: kind === 'eip2930' ? accessList : [] }
  const hash = keccak256(bytes as Hex)
  const transaction = { hash, from, to, input, r, s, ...Object.fromEntries(numbers), ...lists }
  return { ...transaction, hash, type: typeNumbers[kind] }
}

/** Which of two providers, which show the same transaction, is quarantined; undefined for neither. */
async function judged(hash: Hex, senders: [Hex, Hex]) {
  const { port } = node.address() as AddressInfo
  const rpcUrls = ['a', 'b'].map((path) => `http://127.0.0.1:${port}/${path}`)
  const { providers } = createRpcPool({ chainId: CHAIN_ID, rpcUrls })
  const [one, other] = providers as [(typeof providers)[0], (typeof providers)[0]]
  const convicted = await resolveSenderConflict(hash, [
    { from: senders[0], provider: one },
    { from: senders[1], provider: other },
  ])
  const quarantined = providers.filter(({ quarantine }) => quarantine !== undefined)
  expect(quarantined).toEqual(convicted === null ? [] : [convicted])
  return convicted === null ? undefined : providers.indexOf(convicted)
}

describe.each(
  Object.keys(kinds) as (keyof typeof kinds)[],
)('of a transaction of kind %s', (kind) => {
  test('who signed it sent it', async () => {
    const transaction = await signed(kind)
    // Nodes show the sender that they like; the signature says it.
    shown = { ...transaction, from: stranger }
    expect(await judged(transaction.hash, [from, stranger])).toBe(1)
    expect(await judged(transaction.hash, [stranger, from])).toBe(0)
  })

  test('one that doesn’t hash to its hash proves nothing', async () => {
    const transaction = await signed(kind)
    shown = { ...transaction, value: '0x6' }
    expect(await judged(transaction.hash, [from, stranger])).toBeUndefined()
  })
})

test('where nobody shows the transaction, nobody is convicted', async () => {
  shown = null
  expect(await judged(pad('0x01', { size: 32 }), [from, stranger])).toBeUndefined()
})
