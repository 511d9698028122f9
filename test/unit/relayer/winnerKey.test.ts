import { type Hex, keccak256, parseTransaction, type TransactionSerializable } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { createWinnerKeys } from '../../../api/relayer/winnerKey.ts'

const account = privateKeyToAccount(generatePrivateKey())
const stranger = privateKeyToAccount(generatePrivateKey())
const call = { to: `0x${'b1'.repeat(20)}` as Hex, data: '0x1234' as Hex, gas: 90_000n, nonce: 7 }
const [gasPrice, chainId] = [10n ** 9n, 84_532]
const fees = { maxFeePerGas: 3n * gasPrice, maxPriorityFeePerGas: gasPrice }
const accessList = [{ address: call.to, storageKeys: [keccak256('0x01')] }]

const KINDS: [string, TransactionSerializable][] = [
  ['EIP-1559', { type: 'eip1559', chainId, ...call, ...fees }],
  ['EIP-1559 with an access list', { type: 'eip1559', chainId, accessList, ...call, ...fees }],
  ['EIP-2930', { type: 'eip2930', chainId, accessList, gasPrice, ...call }],
  ['legacy with a chain id', { type: 'legacy', chainId, gasPrice, ...call }],
  ['legacy without one', { type: 'legacy', gasPrice, ...call }],
]

/** What a node answers for a transaction. */
async function answered(unsigned: TransactionSerializable) {
  const serialized = await account.signTransaction(unsigned)
  const { data, v, ...parsed } = parseTransaction(serialized) as ReturnType<
    typeof parseTransaction
  > & { v?: bigint; yParity?: number }
  return {
    ...parsed,
    ...{ hash: keccak256(serialized), input: data, value: 0n, from: account.address },
    v: v ?? BigInt(parsed.yParity ?? 0),
  }
}

function keysOver(transaction: object) {
  let asked = 0
  const getTransaction = async () => {
    asked += 1
    return transaction
  }
  const keys = createWinnerKeys({ getTransaction } as never)
  return { keys, asked: () => asked }
}

describe('the key behind a deposit', () => {
  it.each(
    KINDS,
  )('is recovered from a transaction of kind %s, and remembered', async (_, unsigned) => {
    const transaction = await answered(unsigned)
    const { keys, asked } = keysOver(transaction)
    expect(await keys.of(transaction.hash, account.address)).toBe(account.publicKey)
    expect(await keys.of(transaction.hash, account.address)).toBe(account.publicKey)
    expect(asked()).toBe(1)
  })

  it('is not told when somebody else sent the transaction', async () => {
    const transaction = await answered(KINDS[0]![1])
    expect(await keysOver(transaction).keys.of(transaction.hash, stranger.address)).toBe(null)
  })

  it('is not believed of a node that answers another transaction under that hash', async () => {
    const { hash } = await answered(KINDS[0]![1])
    const forged = { ...(await answered({ ...KINDS[0]![1], nonce: 8 })), hash }
    expect(await keysOver(forged).keys.of(hash, account.address)).toBe(null)
  })

  it('is not told by a kind that has no signature, or one that we don’t know', async () => {
    const transaction = await answered(KINDS[0]![1])
    const { hash } = transaction
    for (const odd of [{ type: '0x7e' }, { r: '0x0' }, { r: undefined }]) {
      expect(await keysOver({ ...transaction, ...odd }).keys.of(hash, account.address)).toBe(null)
    }
  })
})
