import { setTimeout } from 'node:timers/promises'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { type BridgePair, startBridgePair } from '../integration/indexer/bridgePair.ts'
import { seededRandom } from '../rig/seededRandom.ts'
import { candidatesIn, chooseAction, listActions } from './actions.ts'
import { call } from './bridge.ts'
import { type Call, type Intent, Refused } from './bridgeState.ts'
import {
  createDeploymentOn,
  findRefusal,
  type Sent,
  toDeliveryTransaction,
  toTransaction,
  trustSigners,
} from './modelCallsOnChain.ts'
import { RULES } from './mutants.ts'
import { createModel, type Model } from './protocolStateMachine.ts'
import type { Action, Scope, State } from './stateMachineTypes.ts'

const PHASES = ['none', 'open', 'deposited', 'settled', 'cancelled', 'refunded']

/** Number and length of random walks, each with its own seed. */
type Replays = { seed: number; walks: number; steps: number }

type Replayed = { walks: number; calls: number; refused: number; differences: string[] }

/**
 * Walks a scope at random and makes every call on the compiled contracts too, on real nodes, including the calls that
 * the model refuses. Outcomes and storage must agree.
 */
export async function replay(scope: Scope, walks: Replays): Promise<Replayed> {
  const pair = await startBridgePair({ quorum: scope.quorum })
  try {
    return await replayOn(pair, scope, walks)
  } finally {
    await pair.stop()
  }
}

/** The same on running chains, which it leaves as they were. */
export async function replayOn(
  pair: BridgePair,
  scope: Scope,
  { seed, walks, steps }: Replays,
): Promise<Replayed> {
  await trustSigners(pair)
  const report: Replayed = { walks, calls: 0, refused: 0, differences: [] }
  for (let at = 0; at < walks; at++) await walkOnce(pair, scope, seed + at, steps, report)
  return report
}

type Chain = BridgePair['base']

async function walkOnce(
  pair: BridgePair,
  scope: Scope,
  seed: number,
  steps: number,
  report: Replayed,
): Promise<void> {
  const random = seededRandom(seed)
  const model = createModel(scope, RULES, await createDeploymentOn(pair))
  const stage = await openStage(pair, model)
  let state = model.start()
  for (let step = 0; step < steps; step++) {
    const candidates = candidatesIn(model, state)
    const attempt = candidates[random.whole(0, candidates.length - 1)]
    if (attempt !== undefined && random.whole(0, 2) === 0)
      await compareRefusal(stage, state, attempt.call, report, seed)
    const action = chooseAction(listActions(model, state), random.whole(0, 100_000))
    if (action === undefined) break
    const before = state
    state = model.after(state, action)
    await stage.play(action, before, state)
    report.calls += action.on === 'source' ? 1 : 0
    report.differences.push(
      ...(await stage.compare(state)).map((one) => `seed ${seed}, step ${step}: ${one}`),
    )
  }
  await stage.leave()
}

async function compareRefusal(
  stage: Stage,
  state: State,
  made: Call,
  report: Replayed,
  seed: number,
): Promise<void> {
  const { model } = stage
  const expected = refusalBy(model, state, made)
  const refused = await stage.refusal(state, made)
  report.refused += expected === null ? 0 : 1
  if (refused !== expected)
    report.differences.push(`seed ${seed}: ${made.do} is ${refused}, model ${expected}`)
}

function refusalBy(model: Model, state: State, made: Call): string | null {
  try {
    call(model.bridge, model.headOf(state), made)
    return null
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

type Stage = Awaited<ReturnType<typeof openStage>>

/** The two chains during one walk. */
async function openStage(pair: BridgePair, model: Model) {
  const { catalogue } = model
  const chains = { source: pair.base, destination: pair.horizen }
  /** Snapshots taken before each block, oldest first. */
  const snapshots = {
    source: [await snapshot(pair.base)],
    destination: [await snapshot(pair.horizen)],
  }
  const began = {
    source: Number((await pair.base.client.getBlock()).timestamp) + 10,
    destination: Number((await pair.horizen.client.getBlock()).timestamp) + 10,
  }
  // Each block is a second after the previous one, whatever the model's clock says.
  let later = 0

  async function mine(on: 'source' | 'destination', time: number, sent: Sent | null) {
    const { client } = chains[on]
    snapshots[on].push(await snapshot(chains[on]))
    later += 1
    const timestamp = BigInt(began[on] + time + later)
    await client.setNextBlockTimestamp({ timestamp })
    if (sent === null) return client.mine({ blocks: 1 })
    const request = { ...sent, gas: '0x4c4b40' }
    const hash = await client.request({ method: 'eth_sendTransaction', params: [request] } as never)
    await receiptOf(chains[on], hash)
  }

  const intentNow = () =>
    pair.base.client.readContract({
      address: pair.base.contracts.bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'getIntent',
      args: [catalogue.deployment.intentId],
    })

  async function sentFor(state: State, made: Call): Promise<Sent> {
    const { intent } = model.headOf(state)
    const onChain = (await intentNow()).fillDeadline
    const fillDeadlineOf = (deadline: number) =>
      deadline === intent?.fillDeadline ? onChain : BigInt(deadline)
    return toTransaction(catalogue, pair, made, intent, fillDeadlineOf)
  }

  return {
    model,
    async refusal(state: State, made: Call): Promise<string | null> {
      const { from: account, to, data } = await sentFor(state, made)
      return findRefusal(() => pair.base.client.call({ account, to, data }))
    },
    async play(action: Action, before: State, after: State): Promise<void> {
      if (action.on === 'source') {
        const sent = await sentFor(before, action.call)
        return void (await mine('source', model.headOf(after).time, sent))
      }
      if (action.on === 'destination') {
        const sent = toDeliveryTransaction(catalogue, action.solve)
        return void (await mine('destination', model.destinationHead(after).time, sent))
      }
      if (action.on === 'clock') return void (await mine(action.chain, action.to, null))
      if (action.on !== 'reorg') return
      await revert(chains[action.chain], snapshots[action.chain].pop()!)
    },
    /** Differences between the contract's storage and the model. */
    async compare(state: State): Promise<string[]> {
      const { intent } = model.headOf(state)
      const stored = await intentNow()
      if (intent === null)
        return stored.phase === 0 ? [] : [`phase ${PHASES[stored.phase]}, model none`]
      const { paramsHash } = catalogue.terms(intent.creation)
      return differing([
        ['phase', PHASES[stored.phase], intent.phase],
        ['paramsHash', stored.paramsHash, paramsHash],
        ['blobsHash', stored.blobsHash, catalogue.fold(intent.blobs)],
        ...flagsOf(stored, intent),
        ['solver', solverOf(model, stored.solver), intent.solver],
        ['amountB', Number(stored.amountB), intent.amountB],
        ['has a deadline', stored.fillDeadline > 0n, intent.fillDeadline > 0],
      ])
    },
    async leave(): Promise<void> {
      await revert(pair.base, snapshots.source[0]!)
      await revert(pair.horizen, snapshots.destination[0]!)
    },
  }
}

function flagsOf(
  stored: Pick<Intent, 'feeBps' | 'recipientClass' | 'quorum' | 'named' | 'asked' | 'revealed'>,
  intent: Intent,
): [string, unknown, unknown][] {
  const names = ['feeBps', 'recipientClass', 'quorum', 'named', 'asked', 'revealed'] as const
  return names.map((name) => [name, stored[name], intent[name]])
}

function solverOf({ catalogue }: Model, address: Hex | string): string | null {
  const { solvers } = catalogue.deployment
  if (BigInt(address) === 0n) return null
  return BigInt(solvers.winner) === BigInt(address) ? 'winner' : 'rival'
}

function differing(facts: [string, unknown, unknown][]): string[] {
  return facts
    .filter(([, actual, expected]) => actual !== expected)
    .map(([name, actual, expected]) => `${name}: ${actual}, model ${expected}`)
}

/** Polls at once: the transaction is mined immediately, but viem would wait for the next block. */
async function receiptOf({ client }: Chain, hash: Hex): Promise<void> {
  for (let patience = 1_000; patience > 0; patience--) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt?.status === 'success') return
    if (receipt !== null) throw new Error('the contract rejected a transaction the model accepts')
    await setTimeout(5)
  }
  throw new Error('a transaction is not mined')
}

function snapshot({ client }: Chain): Promise<Hex> {
  return client.request({ method: 'evm_snapshot' } as never)
}

async function revert({ client }: Chain, id: Hex): Promise<void> {
  await client.request({ method: 'evm_revert', params: [id] } as never)
}
