import { ContractFunctionZeroDataError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { connectChain } from '../../../tools/sweep/connectChain.ts'
import { inspectSafe } from '../../../tools/sweep/inspectSafe.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)

test('a node that isn’t there is named by its host alone, with what to do', async () => {
  const url = 'http://127.0.0.1:65534/a-key'
  await expect(connectChain(url, account)).rejects.toMatchObject({
    code: 'RPC_UNREACHABLE',
    message: "127.0.0.1:65534 doesn't say which chain it serves: check --rpc, or name another node",
  })
})

test.each([
  0,
  -1,
  'abc',
  `0x${'f'.repeat(64)}`,
  {},
])('a node of chain %j is refused', async (result) => {
  const url = await serveLocally(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }))
  })
  await expect(connectChain(url, account)).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
})

test('what doesn’t answer as a Safe is named as that', async () => {
  const client = {
    getCode: async () => '0x60',
    readContract: async ({ functionName }: { functionName: string }) => {
      throw new ContractFunctionZeroDataError({ functionName })
    },
  }
  const inspecting = inspectSafe({ client } as never, account, account.address)
  await expect(inspecting).rejects.toMatchObject({ code: 'NOT_A_SAFE' })
})
