import { pino } from 'pino'
import { type Address, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { solverChain } from '../../../services/solver/chain/solverChain.ts'
import { intentOf } from '../../integration/solver/fakeRelayer.ts'
import type { SolverRig } from '../../integration/solver/solverRig.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import { endow, hasBidder, letBidsCome, startDeceivedSolver } from './deceivedSolver.ts'

let rig: SolverRig
/** The only provider of the source chain that the solver has. */
let provider: FaultyRpc
/** Answers in which it has lied. */
let lies = 0

/** So many answers are a dozen rounds and more: whoever believes them has long acted by then. */
const ENOUGH = 150

beforeAll(async () => {
  const deceived = await startDeceivedSolver()
  rig = deceived.rig
  provider = deceived.liar
})
afterAll(async () => {
  await provider?.close()
  await rig?.stop()
})

/** Has the provider put other words of 32 bytes in the place of the contracts' own. */
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

describe('a provider that lies to a solver', () => {
  it('about the bridge’s registry is outvoted by two, and stops at one', async () => {
    const { node, chainId, contracts } = rig.pair.base
    const honest = await Promise.all([startFaultyRpc(node.rpc), startFaultyRpc(node.rpc)])
    const [one, other] = honest.map(({ url }) => url) as [string, string]
    const config = rig.order.chains.find((chain) => chain.chainId === chainId)
    const termsOf = (rpcUrls: string[]) => solverChain({ ...config!, rpcUrls }).terms()
    lie([[contracts.registry, `0x${'de'.repeat(20)}`]])
    const { registry } = await termsOf([provider.url, one, other])
    expect(registry.toLowerCase()).toBe(contracts.registry.toLowerCase())
    await expect(termsOf([provider.url, one])).rejects.toMatchObject({ code: 'TERMS_DISPUTED' })
    provider.inject(undefined)
    await Promise.all(honest.map((proxy) => proxy.close()))
  })

  it('about the requested token can’t make it pay another one', async () => {
    const { USDC, ZEN } = rig.pair.base.contracts.tokens
    const { payee } = rig.relayer
    await endow(rig, USDC, 10n ** 24n)
    const id = await rig.offer()
    await letBidsCome(rig, id)
    const said: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void said.push(line) })
    const solver = await rig.start(log)
    await until(() => hasBidder(rig, id), 'it has bid')
    await rig.pair.play.endAuction()
    await until(async () => (await intentOf(rig.pair, id)).phase === 2, 'it has deposited')

    lie([[ZEN, USDC]])
    await Promise.all(
      [rig.pair.base, rig.pair.horizen].map((one) => one.client.mine({ blocks: 3 })),
    )
    await until(async () => lies >= ENOUGH || (await held(USDC, payee)) > 0n, 'many lies')
    expect(await held(USDC, payee)).toBe(0n)
    // Not for want of trying: what the enclave has signed for is of other terms than the node tells.
    const refusals = said.filter((line) => line.includes('"code":"RECIPIENTS_WRONG"'))
    expect(refusals.length, said.at(-1)).toBeGreaterThan(0)

    provider.inject(undefined)
    await rig.until(async () => (await intentOf(rig.pair, id)).phase === 3, 'it is settled')
    expect(await held(ZEN, payee)).toBe((await intentOf(rig.pair, id)).amountB)
    await solver.stop()
  })

  it('about what is offered doesn’t have it bid more than that is worth', async () => {
    const { ZEN } = rig.pair.base.contracts.tokens
    const id = await rig.offer(3_000)
    const { amountA, expectedAmountB } = await intentOf(rig.pair, id)
    await endow(rig, ZEN, 1_000n * expectedAmountB)
    await letBidsCome(rig, id)
    lie([
      [amount(amountA), amount(100n * amountA)],
      [amount(expectedAmountB), amount(100n * expectedAmountB)],
    ])
    const solver = await rig.start()
    await until(async () => lies >= ENOUGH || (await hasBidder(rig, id)), 'many lies')
    expect(await rig.history(id)).toEqual(['IntentCreated', 'IntentAnchored'])

    provider.inject(undefined)
    await until(() => hasBidder(rig, id), 'it has bid')
    expect((await intentOf(rig.pair, id)).amountB).toBe(expectedAmountB)
    await solver.stop()
  })
})
