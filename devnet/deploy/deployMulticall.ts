import { keccak256, parseEther } from 'viem'
import { MULTICALL3 } from '../../services/chain/chainClient.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { MULTICALL3_TRANSACTION } from './multicall3Transaction.ts'

/** Multicall3's creator: once funded, anyone can send its signed transaction. */
const CREATOR = '0x05f32B3cC3888453ff71B01135B34FF8e41263F2'
/** Hash of Multicall3's code on every public chain. */
const CODE_HASH = '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891'

/** Deploys Multicall3 at its canonical address with its author's own transaction, if it isn't there. */
export async function deployMulticall(client: DevnetClient): Promise<void> {
  if (await client.getCode({ address: MULTICALL3 })) return
  await client.setBalance({ address: CREATOR, value: parseEther('1') })
  const hash = await client.sendRawTransaction({ serializedTransaction: MULTICALL3_TRANSACTION })
  await client.waitForTransactionReceipt({ hash, pollingInterval: 100 })
  const code = await client.getCode({ address: MULTICALL3 })
  if (!code || keccak256(code) !== CODE_HASH)
    throw new Error('unexpected code at Multicall3’s address')
}
