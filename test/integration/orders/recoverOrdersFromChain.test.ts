import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { decodeFunctionResult, encodeFunctionResult, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { NodesDisagreeError } from '../../../services/chain/history/historyErrors.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import { createVaultChains } from '../../../services/orders/chain/vaultChain.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { describeGaps } from '../../../tools/recoverOrders/describeGaps.ts'
import { recoverOrders } from '../../../tools/recoverOrders/recoverOrders.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { runProgram } from '../../runProgram.ts'
import { type OrdersRig, PER_PERIOD, startOrdersRig } from './ordersRig.ts'
import { fireFirst, seedOrders } from './seedOrders.ts'
import { createTestEnclave } from './testEnclave.ts'

/** Half of them running. */
const ORDERS = Number(process.env.ORDERS_TO_RECOVER ?? 40)

const MAIN = fileURLToPath(new URL('../../../tools/recoverOrders/main.ts', import.meta.url))
const SILENT = { progress: { show() {}, end() {} }, explain() {} }

let rig: OrdersRig
beforeAll(async () => {
  rig = await startOrdersRig({ start: false })
}, 300_000)
afterAll(() => rig?.stop())

test(
  `${ORDERS} orders are recovered from key and chain alone, and no tranche is fired twice`,
  async () => {
    const start = (at: number) =>
      at % 2 === 0 ? {} : { startTime: 4_000_000_000, endTime: 4_100_000_000 }
    const orders = await seedOrders(rig, ORDERS, start)
    const running = orders.filter((_, at) => at % 2 === 0)
    await fireFirst(rig, running)
    await rig.base.client.mine({ blocks: 2 })
    const [chain] = createVaultChains(rig.configs)
    const began = performance.now()
    const certificate = await recoverOrders(chain!, rig.enclave, null, SILENT)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    expect(certificate).toMatchObject({
      isComplete: true,
      opened: ORDERS,
      unreadable: [],
      contradicted: [],
      orders: { total: ORDERS, active: ORDERS },
      tranches: { fired: running.length, recognised: running.length },
    })
    const left = PER_PERIOD * (3n * BigInt(ORDERS) - BigInt(running.length))
    expect(certificate.ledger).toMatchObject([{ left, balance: left, difference: 0n }])
    process.stdout.write(`recovered ${ORDERS} orders in ${seconds} s\n`)
    // A service with an empty database goes on where they are.
    const { url } = await rig.start({ log: pino({ level: 'silent' }) })
    rig.url = url
    await rig.pass(70)
    const hasFiredAll = async () => {
      const fired = await tranchesFired()
      return running.every(({ orderId }) => (fired.get(orderId)?.length ?? 0) > 1)
    }
    await rig.until(hasFiredAll, 'each second tranche', 240_000 + ORDERS * 1_000)
    const fired = await tranchesFired()
    expect([...fired.keys()].sort()).toEqual(running.map(({ orderId }) => orderId).sort())
    // A third one may have come due meanwhile.
    for (const numbers of fired.values()) {
      expect(numbers).toEqual(numbers.map((_, at) => BigInt(at)))
    }
    await rig.stopServices()
  },
  600_000 + ORDERS * 1_000,
)

/** Numbers of the tranches that the vault fired, by order: from one question, since there may be many orders. */
async function tranchesFired(): Promise<Map<Hex, bigint[]>> {
  const logs = await rig.base.client.getContractEvents({
    address: rig.vault,
    abi: orderVaultAbi,
    eventName: 'TrancheFired',
    fromBlock: 0n,
    strict: true,
  })
  const fired = new Map<Hex, bigint[]>()
  for (const { args } of logs) fired.set(args.orderId, [...(fired.get(args.orderId) ?? []), args.n])
  return fired
}

test('after a start block that is too late, nothing is called complete', async () => {
  const startBlock = Number(await rig.base.client.getBlockNumber()) - 3
  const [chain] = createVaultChains(rig.configs.map((config) => ({ ...config, startBlock })))
  const certificate = await recoverOrders(chain!, rig.enclave, null, SILENT)
  expect(certificate).toMatchObject({ hasDeployment: false, isComplete: false })
  expect(certificate.missingIntents).toBeGreaterThanOrEqual(ORDERS / 2)
  expect(describeGaps(certificate)).toEqual([
    expect.stringContaining('is after the bridge’s deployment: name an earlier startBlock'),
    expect.stringContaining(`${certificate.missingIntents} intents`),
  ])
}, 300_000)

test('without the key, the certificate names the orders that can’t be read', async () => {
  const [chain] = createVaultChains(rig.configs)
  const stranger = await createTestEnclave(rig.configs, 'strict', {
    roots: [new Uint8Array(32).fill(9)],
  })
  const certificate = await recoverOrders(chain!, stranger, null, SILENT)
  expect(certificate).toMatchObject({ isComplete: false, opened: 0 })
  expect(certificate.unreadable[0]).toMatchObject({ code: 'DECRYPTION_FAILED' })
  expect(describeGaps(certificate)).toEqual([
    expect.stringContaining(`NOT COMPLETE: the enclave can’t open ${ORDERS} orders`),
  ])
}, 300_000)

test('an enclave that doesn’t answer says nothing about an order', async () => {
  const [chain] = createVaultChains(rig.configs)
  const signTranche = () => Promise.reject(new EnclaveError('ENCLAVE_UNREACHABLE'))
  const gone = { ...rig.enclave, signTranche }
  await expect(recoverOrders(chain!, gone, null, SILENT)).rejects.toThrow('ENCLAVE_UNREACHABLE')
}, 300_000)

describe('with a node that lies, the first', () => {
  type Log = { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex; blockNumber: Hex }
  let nodes: FaultyRpc[]
  let honest: Awaited<ReturnType<typeof recoverOver>>
  beforeAll(async () => {
    nodes = await Promise.all([1, 2, 3].map(() => startFaultyRpc(rig.base.node.rpc)))
    honest = await recoverOver(2)
  }, 300_000)
  afterAll(() => Promise.all((nodes ?? []).map((node) => node.close())))

  /** The certificate over the first so many nodes. */
  async function recoverOver(count: number) {
    const rpcUrls = nodes.slice(0, count).map(({ url }) => url)
    const configs = rig.configs.map((config) => ({
      ...config,
      ...(config.chainId === rig.base.config.chainId && { rpcUrls }),
    }))
    const [chain] = createVaultChains(configs)
    return recoverOrders(chain!, rig.enclave, null, SILENT).finally(() => {
      for (const node of nodes) node.inject(undefined)
    })
  }

  const lie = (method: string, fault: (call: RpcCall) => Fault | undefined) =>
    nodes[0]!.inject((call) => (call.method === method ? fault(call) : undefined))
  const lieInLogs = (change: (logs: Log[]) => Log[]) =>
    lie('eth_getLogs', () => ({ change: (logs) => change(logs as Log[]) }))
  const isOrder = ({ address }: Log) => address.toLowerCase() === rig.vault.toLowerCase()
  const hostOf = (at: number) => `${new URL(nodes[at]!.url).host}#${at + 1}`

  test('the nodes are named, and agree', () => {
    expect(honest).toMatchObject({ isComplete: true, orders: { total: ORDERS } })
    expect(honest.nodes).toEqual({ nodes: [hostOf(0), hostOf(1)], refused: [], unconfirmed: [] })
  })

  test('the command prints the certificate, and says which node was left out', async () => {
    lieInLogs((logs) => logs.filter((log) => !isOrder(log)))
    const directory = mkdtempSync(join(tmpdir(), 'cairn-recover-orders-'))
    const [chains, socket] = [join(directory, 'chains.json'), join(directory, 'enclave.sock')]
    const rpcUrls = nodes.slice(0, 2).map(({ url }) => `${url}secret-key`)
    const [config] = rig.configs.filter(({ chainId }) => chainId === rig.base.config.chainId)
    writeFileSync(chains, JSON.stringify({ chains: [{ ...config, rpcUrls }] }))
    const served = await serveEnclave(rig.enclave, socket, [])
    const run = await runProgram(MAIN, ['--chains', chains, '--enclave', socket])
    await served.stop()
    rmSync(directory, { recursive: true })
    for (const node of nodes) node.inject(undefined)
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject([{ isComplete: true, orders: { total: ORDERS } }])
    expect(run.stderr).toContain(`${hostOf(0)} is WRONG and was left out`)
    expect(run.stdout + run.stderr).not.toContain('secret-key')
    expect(run.stderr).not.toContain('NOT COMPLETE')
  })

  test.each<[string, (logs: Log[]) => Log[]]>([
    ['hides every order', (logs) => logs.filter((log) => !isOrder(log))],
    [
      'invents an order',
      (logs) =>
        logs.flatMap((log) =>
          isOrder(log) && log.topics.length === 4
            ? [
                log,
                { ...log, topics: log.topics.with(1, `0x${'0f'.repeat(32)}`), logIndex: '0x3e7' },
              ]
            : log,
        ),
    ],
  ])('of two, that %s is convicted and left out', async (_, change) => {
    lieInLogs(change)
    const { nodes: report, ...certificate } = await recoverOver(2)
    const { nodes: __, ...expected } = honest
    expect(certificate).toEqual(expected)
    expect(report.refused).toMatchObject([{ node: hostOf(0) }])
  })

  const getOrder = { abi: orderVaultAbi, functionName: 'getOrder' } as const
  const emptied = () => ({
    result: encodeFunctionResult({
      ...getOrder,
      result: {
        ...{ owner: rig.vault, token: rig.vault, destChainId: 1n, tokenB: rig.vault },
        ...{ expectedAmountB: 1n, amountPerPeriod: 1n, period: 1n, firstAt: 1n, endTime: 1n },
        ...{ left: 0n, fired: 7n, lastFiredAt: 1n, quorum: 1, closed: true },
      },
    }),
  })
  const shortened: Fault = {
    change: (data) => {
      const result = decodeFunctionResult({ ...getOrder, data: data as Hex })
      return encodeFunctionResult({ ...getOrder, result: { ...result, endTime: 1n } })
    },
  }
  /** Calls of the vault, and not of a token. */
  const ofVault = ({ params: [call] }: RpcCall) =>
    (call as { to: string }).to.toLowerCase() === rig.vault.toLowerCase()
  const noBalance = { result: numberToHex(0, { size: 32 }) }
  const fork: Fault = {
    change: (block) => {
      const forged = { ...Object(block), extraData: '0xf0' }
      return { ...forged, hash: hashHeader(parseRpcHeader(forged)) }
    },
  }
  const lies: [string, string, (call: RpcCall) => Fault | undefined, RegExp][] = [
    [
      'has other records',
      'eth_call',
      (call) => (ofVault(call) ? emptied() : undefined),
      /^what the vault of base_sepolia has stored at block \d+ of twap-[0-9a-f]+ is owner .* left 0, fired 7, .* closed true on /,
    ],
    [
      'has earlier ends',
      'eth_call',
      (call) => (ofVault(call) ? shortened : undefined),
      /^what the vault of base_sepolia has stored at block \d+ of twap-[0-9a-f]+ is owner .* endTime /,
    ],
    [
      'has other balances',
      'eth_call',
      (call) => (ofVault(call) ? undefined : noBalance),
      /^what the vault of base_sepolia holds at block/,
    ],
    ['shows a fork', 'eth_getBlockByNumber', () => fork, /^block \d+ is 0x/],
  ]

  test.each(lies)('of two, that %s: the error names both', async (_, method, fault, words) => {
    lie(method, fault)
    const error = await recoverOver(2).catch((one: Error) => one)
    expect(error).toBeInstanceOf(NodesDisagreeError)
    for (const text of [words, hostOf(0), hostOf(1)]) expect((error as Error).message).toMatch(text)
  })

  test.each(lies)('of three, that %s is outvoted', async (_, method, fault) => {
    lie(method, fault)
    const { nodes: __, ...certificate } = await recoverOver(3)
    const { nodes: ___, ...expected } = honest
    expect(certificate).toEqual(expected)
  })
})
