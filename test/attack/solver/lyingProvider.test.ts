import { pino } from 'pino'
import { type Address, erc20Abi, type Hex, numberToHex, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { createSolverChain } from '../../../services/solver/chain/solverChain.ts'
import { takeSnapshot } from '../../../services/solver/chain/takeSnapshot.ts'
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

let rig: SolverRig
/** The solver's only provider on the source chain. */
let provider: FaultyRpc
/** Number of false answers. */
let lies = 0

/** False answers of a dozen rounds: a solver that believes them has acted by then. */
const ENOUGH = 20

beforeAll(async () => {
  const deceived = await startDeceivedSolver()
  rig = deceived.rig
  provider = deceived.liar
})
afterAll(async () => {
  await provider?.close()
  await rig?.stop()
})

/** Makes the provider replace 32-byte words in the contracts' answers. */
function lie(words: readonly (readonly [Hex, Hex])[]): void {
  lies = 0
  provider.inject(({ method }) => {
    if (method !== 'eth_call') return undefined
    return {
      change: (result) => {
        if (typeof result !== 'string') return result
        const reported = words.reduce(
          (text, [from, to]) => text.replaceAll(plain(from), plain(to)),
          result,
        )
        if (reported !== result) lies += 1
        return reported
      },
    }
  })
}

function plain(word: Hex): string {
  return word.slice(2).toLowerCase().padStart(64, '0')
}

function amount(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}

function held(token: Address, owner: Address): Promise<bigint> {
  const { client } = rig.pair.horizen
  return client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  })
}

describe('a solver’s lying provider', () => {
  it('a provider that misstates the bridge’s registry is outvoted by two others, and stops the solver if there is only one other', async () => {
    const { node, chainId, contracts } = rig.pair.base
    const honest = await Promise.all([startFaultyRpc(node.rpc), startFaultyRpc(node.rpc)])
    const [one, other] = honest.map(({ url }) => url) as [string, string]
    const config = rig.order.chains.find((chain) => chain.chainId === chainId)
    const readTerms = (rpcUrls: string[]) => createSolverChain({ ...config!, rpcUrls }).terms()
    lie([[contracts.registry, `0x${'de'.repeat(20)}`]])
    const { registry } = await readTerms([provider.url, one, other])
    expect(registry.toLowerCase()).toBe(contracts.registry.toLowerCase())
    await expect(readTerms([provider.url, one])).rejects.toMatchObject({
      code: 'TERMS_DISPUTED',
    })
    // While the others are down it is believed, but not for longer.
    for (const proxy of honest) proxy.inject(() => ({ status: 503 }))
    const chain = createSolverChain({ ...config!, rpcUrls: [provider.url, one, other] })
    await chain.terms()
    for (const proxy of honest) proxy.inject(undefined)
    expect((await chain.terms()).registry.toLowerCase()).toBe(contracts.registry.toLowerCase())
    provider.inject(undefined)
    await Promise.all(honest.map((proxy) => proxy.close()))
  })

  it('a provider that misstates the requested token doesn’t make the solver pay another', async () => {
    const { USDC, ZEN } = rig.pair.base.contracts.tokens
    const { payee } = rig.relayer
    await mintForSolver(rig, USDC, 10n ** 24n)
    const id = await rig.offer()
    await advanceToBidding(rig, id)
    const logged: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
    const solver = await rig.start(log)
    await until(() => hasBidder(rig, id), 'it has bid')
    await rig.pair.play.endAuction()
    await until(async () => (await readIntentOnChain(rig.pair, id)).phase === 2, 'it has deposited')

    lie([[ZEN, USDC]])
    await Promise.all(
      [rig.pair.base, rig.pair.horizen].map((one) => one.client.mine({ blocks: 3 })),
    )
    // It tries, but the enclave signed for other terms than the node reports.
    const hasTried = () => logged.some((line) => line.includes('"code":"RECIPIENTS_WRONG"'))
    await until(
      async () => (lies >= ENOUGH && hasTried()) || (await held(USDC, payee)) > 0n,
      'many lies, and a delivery refused',
    )
    expect(await held(USDC, payee)).toBe(0n)

    provider.inject(undefined)
    await rig.until(
      async () => (await readIntentOnChain(rig.pair, id)).phase === 3,
      'it is settled',
    )
    expect(await held(ZEN, payee)).toBe((await readIntentOnChain(rig.pair, id)).amountB)
    await solver.stop()
  })

  it('a provider that inflates the offer doesn’t make the solver bid more than the intent is worth', async () => {
    const { ZEN } = rig.pair.base.contracts.tokens
    const id = await rig.offer(3_000)
    const { amountA, expectedAmountB } = await readIntentOnChain(rig.pair, id)
    await mintForSolver(rig, ZEN, 1_000n * expectedAmountB)
    await advanceToBidding(rig, id)
    lie([
      [amount(amountA), amount(100n * amountA)],
      [amount(expectedAmountB), amount(100n * expectedAmountB)],
    ])
    const solver = await rig.start()
    await until(async () => lies >= ENOUGH || (await hasBidder(rig, id)), 'many lies')
    expect(await rig.history(id)).toEqual(['IntentCreated', 'IntentAnchored'])

    provider.inject(undefined)
    await until(() => hasBidder(rig, id), 'it has bid')
    expect((await readIntentOnChain(rig.pair, id)).amountB).toBe(expectedAmountB)
    await solver.stop()
  })

  it('a provider that misstates funds, intents and the head is outvoted by two others', async () => {
    const { node, chainId } = rig.pair.base
    const { USDC } = rig.pair.base.contracts.tokens
    const honest = await Promise.all([startFaultyRpc(node.rpc), startFaultyRpc(node.rpc)])
    const config = rig.order.chains.find((chain) => chain.chainId === chainId)!
    const id = await rig.offer()
    const { address, sealingPoint } = createSolverAccount(rig.order.privateKey)
    const readChain = async (rpcUrls: string[]) => {
      const { chains, intents } = await takeSnapshot({
        chains: [createSolverChain({ ...config, rpcUrls })],
        account: address,
        sealingKey: sealingPoint,
        transactions: [],
        tokens: new Map([[chainId, [USDC]]]),
        intents: [{ sourceChainId: chainId, intentId: id }],
        onTrouble: (_, error) => expect.fail(String(error)),
      })
      return { seen: chains.get(chainId), intents }
    }
    const truth = await readChain([node.rpc])
    const { seen } = truth
    const { amountA } = await readIntentOnChain(rig.pair, id)
    const stake = seen!.stakes.get(USDC.toLowerCase())!.total
    const urls = [provider, ...honest].map(({ url }) => url)
    lie([
      [amount(amountA), amount(2n * amountA)],
      [amount(stake), amount(0n)],
    ])
    expect(await readChain(urls)).toEqual(truth)
    expect(lies).toBeGreaterThan(0)
    provider.inject(({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { change: (block) => ({ ...Object(block), number: numberToHex(1) }) }
        : undefined,
    )
    expect(await readChain(urls)).toEqual(truth)
    provider.inject(undefined)
    await Promise.all(honest.map((proxy) => proxy.close()))
  })

  it('one provider of three that misstates times and deliveries costs no bond', async () => {
    const { base, horizen } = rig.pair
    const destination = await startFaultyRpc(horizen.node.rpc)
    useNodes(rig, [provider.url, base.node.rpc, base.node.rpc])
    useNodes(rig, [destination.url, horizen.node.rpc, horizen.node.rpc], horizen)
    const id = await rig.offer()
    await advanceToBidding(rig, id)
    // Blocks take a day; the deadline has passed, and everything is delivered.
    provider.inject(shifted(-86_400, (block) => block !== 'latest'))
    const isPast = shifted(86_400, (block) => block === 'latest')
    destination.inject((call) => isPast(call) ?? deliveredAll(call))
    const solver = await rig.start()
    await until(() => hasBidder(rig, id), 'it has bid')
    await rig.pair.play.endAuction()
    const hasDelivered = async () => (await rig.history(id)).includes('IntentSolved')
    await rig.until(hasDelivered, 'it has delivered')
    await solver.stop()
    await destination.close()
  })
})

const DELIVERY_AT = toFunctionSelector('function deliveryAt(bytes32)').slice(2)

/** Adds seconds to the times of these blocks. */
function shifted(seconds: number, isMeant: (block: unknown) => boolean) {
  const change = (block: unknown) => {
    const { timestamp } = block as { timestamp: Hex }
    return { ...Object(block), timestamp: numberToHex(Number(timestamp) + seconds) }
  }
  return ({ method, params }: RpcCall): Fault | undefined =>
    method === 'eth_getBlockByNumber' && isMeant(params[0]) ? { change } : undefined
}

/** Puts a sequence and a time into each empty answer about deliveries. */
function deliveredAll({ method, params }: RpcCall): Fault | undefined {
  const { data = '' } = (params?.[0] ?? {}) as { data?: string }
  if (method !== 'eth_call' || !data.includes(DELIVERY_AT)) return undefined
  const answerOf = (...words: number[]) => words.map((word) => plain(amount(BigInt(word)))).join('')
  const [empty, forged] = [answerOf(64, 0, 0), answerOf(64, 7, 9)]
  return { change: (answer) => String(answer).replaceAll(empty, forged) }
}
