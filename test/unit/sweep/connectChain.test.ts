import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { connectChain } from '../../../tools/sweep/connectChain.ts'

test('a node that isn’t there is named by its host alone, with what to do', async () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const url = 'http://127.0.0.1:65534/a-key'
  await expect(connectChain(url, account)).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
    message: "127.0.0.1:65534 doesn't say which chain it serves: check --rpc, or name another node",
  })
})
