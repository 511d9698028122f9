import { keccak256, parseEther } from 'viem'
import { MULTICALL3 } from '../../services/chain/chainClient.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { MULTICALL3_TRANSACTION } from './multicall3Transaction.ts'

/** Creator of Multicall3: funding it with gas lets anyone send the signed transaction. */
const CREATOR = '0x05f32B3cC3888453ff71B01135B34FF8e41263F2'
/** Hash of the code that Multicall3 has on every public chain. */
const CODE_HASH = '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891'

/** Puts Multicall3 at its canonical address, by its author's own transaction. Does nothing if it's there. */
export async function deployMulticall(client: DevnetClient): Promise<void> {
  if (await client.getCode({ address: MULTICALL3 })) return
  await client.setBalance({ address: CREATOR, value: parseEther('1') })
  const hash = await client.sendRawTransaction({ serializedTransaction: MULTICALL3_TRANSACTION })
  await client.waitForTransactionReceipt({ hash, pollingInterval: 100 })
  const code = await client.getCode({ address: MULTICALL3 })
  if (!code || keccak256(code) !== CODE_HASH)
    throw new Error('the code at Multicall3 is not its own')
}
