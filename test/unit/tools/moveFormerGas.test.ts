import { text } from 'node:stream/consumers'
import { type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { RequestOf } from '../../../services/enclave/enclaveInterface.ts'
import { moveFormerGas } from '../../../tools/enclave/moveFormerGas.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

const former = privateKeyToAccount(generatePrivateKey())
const successor = privateKeyToAccount(generatePrivateKey()).address

const ANSWERS: Record<string, unknown> = {
  eth_getBalance: '0xde0b6b3a7640000',
  eth_getTransactionCount: '0x0',
  eth_estimateGas: '0x5208',
  eth_maxPriorityFeePerGas: '0x1',
  eth_getBlockByNumber: { number: '0x1', timestamp: '0x1', baseFeePerGas: '0x1', transactions: [] },
  eth_sendRawTransaction: '\u009b2J nothing was sent',
}

test('a payment is named by its own hash, whatever the node calls it', async () => {
  const node = await serveLocally(async (request, response) => {
    const { id, method } = JSON.parse(await text(request)) as { id: number; method: string }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method] ?? '0x' }))
  })
  let signed: Hex = '0x'
  const enclave = {
    formerGasAccounts: async () => ({ accounts: [{ address: former.address, successor }] }),
    signFormerGasTransfer: async (asked: RequestOf<'signFormerGasTransfer'>) => {
      const { chainId, nonce, gas } = asked
      const call = { chainId, nonce, gas: BigInt(gas), value: BigInt(asked.value), to: successor }
      signed = await former.signTransaction({ ...call, type: 'eip1559' })
      return { serialized: signed, hash: keccak256(signed), from: former.address }
    },
  }
  const chain = { chainId: 31_337, rpcUrls: [node] }
  const moves = await moveFormerGas(enclave, chain, () => {})
  expect(moves).toMatchObject([{ transaction: keccak256(signed) }])
})
