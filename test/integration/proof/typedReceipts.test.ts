import { concatHex, createWalletClient, type Hex, http, toHex, toRlp } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { decodeReceipt } from '../../../core/proof/decodeReceipt.ts'
import { encodeReceipt } from '../../../core/proof/encodeReceipt.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { parseRpcReceipt } from '../../../core/proof/parseRpcReceipt.ts'
import { proveBlockReceipts } from '../../../core/proof/proveBlockReceipts.ts'
import { verifyReceiptProof } from '../../../core/proof/verifyReceiptProof.ts'
import { deriveDevnetAccounts, FUNDED_ACCOUNTS } from '../../../devnet/accounts.ts'
import { createDevnetClient, type DevnetClient } from '../../../devnet/devnetClient.ts'

/** The node's trie and RLP are another implementation than ours: alloy's, in Rust. */
let node: RunningAnvil | undefined
afterEach(() => node?.stop())

const { senders, treasury } = deriveDevnetAccounts()
const to = treasury.address
const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n }

async function start(...extra: string[]): Promise<DevnetClient> {
  const extraArguments = ['--accounts', String(FUNDED_ACCOUNTS), ...extra]
  node = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments })
  const client = createDevnetClient({ ...node, name: 'base_sepolia' })
  await client.setAutomine(false)
  return client
}

function wallet(client: DevnetClient, index: number) {
  const transport = http(node!.rpc, { timeout: 60_000 })
  return createWalletClient({ account: senders[index]!, chain: client.chain, transport })
}

/** Puts one transaction of each of these types into the next block. */
async function sendTyped(client: DevnetClient, types: readonly number[]): Promise<void> {
  for (const [index, type] of types.entries()) {
    const from = wallet(client, index)
    const call = { to, value: 1n, gas: 100_000n, gasPrice: 3_000_000_000n }
    if (type === 0) await from.sendTransaction({ ...call, type: 'legacy' })
    if (type === 1) {
      const accessList = [{ address: to, storageKeys: [] }]
      await from.sendTransaction({ ...call, type: 'eip2930', accessList })
    }
    if (type === 2) await from.sendTransaction({ to, value: 1n, gas: 21_000n, ...fees })
    if (type === 4) {
      const authorization = await from.signAuthorization({ contractAddress: to })
      const authorizationList = [authorization]
      await from.sendTransaction({ to, value: 1n, gas: 100_000n, authorizationList, ...fees })
    }
    if (type === 0x7e) await sendDeposit(client, senders[index]!.address)
  }
}

/** An OP-stack deposit: source hash, from, to, mint, value, gas, system flag, data. */
async function sendDeposit(client: DevnetClient, from: Hex): Promise<void> {
  const fields: Hex[] = [toHex(1, { size: 32 }), from, to, toHex(5), '0x', '0x0f4240', '0x', '0x']
  await client.sendRawTransaction({ serializedTransaction: concatHex(['0x7e', toRlp(fields)]) })
}

async function mineAndProve(client: DevnetClient) {
  await client.mine({ blocks: 1 })
  const ask = (method: string, params: unknown[]) =>
    client.request({ method, params } as never) as Promise<never>
  const block: Record<string, unknown> & { hash: Hex } = await ask('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const header = parseRpcHeader(block)
  expect(hashHeader(header)).toBe(block.hash)
  const answers: unknown[] = await ask('eth_getBlockReceipts', ['latest'])
  const receipts = answers.map(parseRpcReceipt)
  const indexes = [...receipts.keys()]
  const proofs = await proveBlockReceipts({ hash: block.hash, header }, receipts, indexes)
  for (const proof of proofs) await verifyReceiptProof(header.receiptsRoot, proof)
  for (const receipt of receipts) {
    const bytes = encodeReceipt(receipt)
    expect(encodeReceipt(decodeReceipt(bytes))).toEqual(bytes)
  }
  return { header, receipts, answers }
}

describe("a real node's blocks", () => {
  it.each([
    ['istanbul', 15, [0]],
    ['london', 16, [0, 1, 2]],
    ['shanghai', 17, [0, 1, 2]],
    ['cancun', 20, [0, 1, 2]],
    ['prague', 21, [0, 1, 2, 4]],
  ])('of %s hash from their %i fields, their receipts to their root', async (fork, fields, types) => {
    const client = await start('--hardfork', fork)
    await sendTyped(client, types)
    const { header, receipts } = await mineAndProve(client)
    expect(Object.keys(header)).toHaveLength(fields)
    expect(receipts.map(({ type }) => type).toSorted()).toEqual(types)
  })

  it('of 300 transactions prove each of them', async () => {
    const client = await start('--gas-limit', '300000000')
    const from = wallet(client, 0)
    const calls = Array.from({ length: 300 }, (_, nonce) =>
      from.sendTransaction({ to, value: 1n, gas: 21_000n, nonce, ...fees }),
    )
    await Promise.all(calls)
    const { receipts } = await mineAndProve(client)
    expect(receipts).toHaveLength(300)
  })

  // What was hashed before Canyon is shown by a published block: test/unit/proof/publishedVectors.test.ts.
  it('of the OP stack hold deposits with their nonce and version', async () => {
    const client = await start('--optimism', '--hardfork', 'canyon')
    await sendTyped(client, [0x7e, 2])
    const { receipts } = await mineAndProve(client)
    const deposit = receipts.find(({ type }) => type === 0x7e)
    expect(deposit?.deposit?.version).toBe(1n)
  })
})
