import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { watchRelayerProblems } from '../../../services/relayer/reconciler/watchRelayerProblems.ts'
import type { Signing } from '../../../services/relayer/settlement/signingContext.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'

/** A node on which every account is empty. */
async function startPoorNode(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    const result = method === 'eth_getBalance' ? '0x0' : '0x1'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a check that fails to run reports what it found before, and nothing if it keeps failing', async () => {
  let isAway = false
  // What is reported at each call of a check that is about to fail.
  const reported: string[][] = []
  const codes = () => problems.found().map(({ code }) => code)
  const enclave = {
    publicKeys: async () => {
      if (isAway) {
        reported.push(codes())
        throw new Error('away')
      }
      return { relayer: `0x${'1'.repeat(40)}`, attester: `0x${'2'.repeat(40)}` }
    },
  } as unknown as Enclave
  const chain = {
    chainId: 1,
    name: 'poor',
    rpcUrls: [await startPoorNode()],
    bridge: `0x${'3'.repeat(40)}`,
    unpaidGas: { taken: async () => 0n, limit: 60_000_000n },
  }
  const problems = watchRelayerProblems({
    db: {} as Db,
    chains: [chain as never],
    enclaves: [enclave],
    signing: {} as Signing,
    everyMs: 10,
  })
  onTestFinished(problems.stop)
  await expect.poll(codes).toEqual(['NO_GAS'])
  isAway = true
  await expect.poll(codes).toEqual([])
  // Three checks ask the enclave, three times until the last finding is given up.
  expect(reported.filter(([code]) => code === 'NO_GAS')).toHaveLength(9)
})
