import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { serveRpcProxy } from '../../../services/chain/rpcPool/serveRpcProxy.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

/** The first of anvil's accounts. */
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const DEPTH = 100_000
const NESTED = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`

test.each([
  ['all answers', /"result":"[^"]*"/g],
  ['all answers but its chain’s id', /"result":"(?!0x14a34)[^"]*"/g],
])('a node that nests %s too deeply to be written keeps no other from being used', async (_, values) => {
  const anvil = await startAnvil({ chainId: 84532, blockTime: 0 })
  onTestFinished(() => anvil.stop())
  // Any call of it logs nothing.
  const emitter = `0x${'e1'.repeat(20)}`
  await callRpc(anvil.rpc, 'anvil_setCode', [emitter, '0x60006000a000'])
  await callRpc(anvil.rpc, 'eth_sendTransaction', [{ from: SENDER, to: emitter }])
  const liar = await serveLocally(async (request, response) => {
    const body = await text(request)
    const answer = await fetch(anvil.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    response.end(nest(await answer.text(), values))
  })
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [liar, anvil.rpc] })
  const proxy = await serveRpcProxy({ pool, wsUrl: anvil.ws })
  onTestFinished(() => proxy.close())
  const ask = (url: string) => async (method: string, params: unknown[]) =>
    callRpc(url, method, params)
  const [honest, served] = [ask(anvil.rpc), ask(proxy.urls(1)[0]!)]
  await expect.poll(() => honest('eth_getLogs', [{ fromBlock: '0x1' }])).toHaveLength(1)
  const head = (await honest('eth_getBlockByNumber', ['latest', false])) as { hash: string }
  for (const [method, params] of [
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByHash', [head.hash, false]],
    ['eth_getLogs', [{ blockHash: head.hash }]],
    ['eth_getBlockReceipts', [head.hash]],
    ['eth_getBalance', [`0x${'0'.repeat(40)}`, 'latest']],
  ] as const) {
    expect(await served(method, [...params]), method).toEqual(await honest(method, [...params]))
  }
  const socket = new WebSocket(proxy.wsUrl!)
  onTestFinished(() => socket.close())
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  const announced = new Promise((resolve) =>
    socket.on('message', (data) => {
      const { params } = JSON.parse(String(data))
      if (params) resolve(params.result)
    }),
  )
  expect(await announced).toMatchObject({ hash: head.hash })
})

/** The same answers, with nested arrays in each block and log, and instead of these values. */
function nest(answers: string, values: RegExp): string {
  return answers
    .replaceAll('"result":{', `"result":{"nested":${NESTED},`)
    .replaceAll('"result":[{', `"result":[{"nested":${NESTED},`)
    .replaceAll(values, `"result":${NESTED}`)
}
