import { pino } from 'pino'
import {
  type Address,
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  toFunctionSelector,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readIntentOnChain } from '../../integration/solver/fakeRelayer.ts'
import type { SolverRig } from '../../integration/solver/solverRig.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import {
  advanceToBidding,
  hasBidder,
  mintForSolver,
  startDeceivedSolver,
  useNodes,
} from './deceivedSolver.ts'

const THIEF: Address = `0x${'de'.repeat(20)}`

let rig: SolverRig
let liar: FaultyRpc
let honest: FaultyRpc

beforeAll(async () => {
  const deceived = await startDeceivedSolver()
  rig = deceived.rig
  liar = deceived.liar
  honest = await startFaultyRpc(rig.pair.base.node.rpc)
  await mintForSolver(rig, rig.pair.base.contracts.tokens.ZEN, 10n ** 24n)
})
afterAll(async () => {
  await liar?.close()
  await honest?.close()
  await rig?.stop()
})

const TOPIC = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'RecipientsRevealed' })[0]
const GET_INTENT = toFunctionSelector('function getIntent(uint256)')

type Call = { callData: Hex }

/** Reports for every won intent that its winner asked, and shows a reveal that anyone could have sealed. */
function forging(id: bigint, sealed: Hex, at: { number: bigint; hash: Hex }) {
  const event = { abi: bridgeIntentV2Abi, eventName: 'RecipientsRevealed' } as const
  const log = {
    address: rig.pair.base.contracts.bridge,
    topics: encodeEventTopics({ ...event, args: { intentId: id } }),
    data: encodeAbiParameters([{ type: 'bytes' }], [sealed]),
    blockNumber: numberToHex(at.number),
    blockHash: at.hash,
    transactionHash: at.hash,
    logIndex: '0x0',
    transactionIndex: '0x0',
    removed: false,
  }
  return ({ method, params }: RpcCall): Fault | undefined => {
    if (method === 'eth_getLogs' && JSON.stringify(params).includes(String(TOPIC)))
      return { result: [log] }
    if (method !== 'eth_call') return undefined
    const calls = callsIn((params[0] as { data: Hex }).data)
    if (!calls.some(({ callData }) => callData.startsWith(GET_INTENT))) return undefined
    return { change: (result) => withForgedFlags(calls, result as Hex) }
  }
}

function callsIn(data: Hex): readonly Call[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data })
    return functionName === 'aggregate3' ? args[0] : []
  } catch {
    return []
  }
}

function withForgedFlags(calls: readonly Call[], data: Hex): Hex {
  const aggregate = { abi: multicall3Abi, functionName: 'aggregate3' } as const
  const getIntent = { abi: bridgeIntentV2Abi, functionName: 'getIntent' } as const
  const result = decodeFunctionResult({ ...aggregate, data }).map((answer, position) => {
    if (!calls[position]?.callData.startsWith(GET_INTENT)) return answer
    const intent = decodeFunctionResult({ ...getIntent, data: answer.returnData })
    if (intent.phase !== 2) return answer
    const forged = { ...intent, asked: true, revealed: true }
    return { ...answer, returnData: encodeFunctionResult({ ...getIntent, result: forged }) }
  })
  return encodeFunctionResult({ ...aggregate, result })
}

describe('a node that forges a reveal while the relayer fails to answer', () => {
  it.each<[string, () => string[]]>([
    ['alone', () => [liar.url]],
    ['before an honest one', () => [liar.url, honest.url]],
  ])('does not make the solver pay a thief, %s', async (_, nodes) => {
    useNodes(rig, nodes())
    const id = await rig.offer()
    const paid = await rig.zenOf(rig.relayer.payee)
    await advanceToBidding(rig, id)
    rig.relayer.keepsSilent(true)
    const logged: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
    const solver = await rig.start(log)
    await until(() => hasBidder(rig, id), 'it has bid')
    await rig.pair.play.endAuction()
    await until(async () => (await readIntentOnChain(rig.pair, id)).phase === 2, 'it has deposited')

    const sealed = await rig.relayer.sealedFor(id, THIEF)
    liar.inject(forging(id, sealed, await rig.pair.base.client.getBlock()))
    const attempts = () => logged.filter((line) => line.includes('"step":"deliver"')).length
    const before = attempts()
    await rig.until(
      async () => attempts() >= before + 4 || (await rig.zenOf(THIEF)) > 0n,
      'it has tried to deliver, again and again',
    )
    expect(await rig.zenOf(THIEF)).toBe(0n)
    expect(logged.some((line) => line.includes('"code":"REVEAL_UNPROVEN"'))).toBe(true)

    liar.inject(undefined)
    rig.relayer.keepsSilent(false)
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    expect((await rig.zenOf(rig.relayer.payee)) - paid).toBe(
      (await readIntentOnChain(rig.pair, id)).amountB,
    )
    expect(await rig.zenOf(THIEF)).toBe(0n)
    await solver.stop()
  })
})
