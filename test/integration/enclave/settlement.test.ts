import { type Hex, recoverAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventProof } from '../../../core/proof/proofDocument.ts'
import type { ChainConfig } from '../../../services/config/chains.ts'
import { worth } from '../../../services/devnet/tokens.ts'
import { type EnclaveChain, enclaveChains } from '../../../services/enclave/chains.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { RequestOf } from '../../../services/enclave/port.ts'
import type { Disagreement } from '../../../services/enclave/settlement/witnesses.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type Fault, startFaultyRpc } from '../prefill/faultyRpc.ts'
import { RECIPIENTS, ROOT, type SettlementScene, startSettlementScene } from './settlementScene.ts'

const EXPECTED = worth('ZEN', 9_000)
const [ALICE, BOB] = RECIPIENTS
/** Of the bundle: a third less than the winner commits to, so that there is a surplus to share. */
const AMOUNTS = [worth('ZEN', 2_000), worth('ZEN', 4_000)] as const
const BID = EXPECTED + 1n

let scene: SettlementScene
beforeAll(async () => {
  scene = await startSettlementScene()
})
afterAll(() => scene?.stop())

/** Anchored with the bundle, won at BID, and delivered as told. */
async function delivered(
  payees: readonly `0x${string}`[],
  amounts: readonly bigint[],
  token?: `0x${string}`,
) {
  const { play } = scene
  const id = await play.create()
  await scene.anchor(id, await scene.seal(id, RECIPIENTS, AMOUNTS))
  await play.bid(id)
  await play.endAuction()
  await play.deposit(id)
  await scene.deliver(id, payees, amounts, token)
  await deepen()
  return id
}

/** A block on top of what happened, on both chains. */
async function deepen() {
  for (const { client } of [scene.base, scene.horizen]) await client.mine({ blocks: 1 })
}

/** A chain as the enclave takes it from an operator's configuration. */
function configured(
  { chainId, bridge, registry, witnesses, confirmations }: EnclaveChain,
  changes: Partial<ChainConfig>,
): EnclaveChain[] {
  const chain = { name: 'configured', chainId, bridge, registry, startBlock: 0, confirmations }
  return enclaveChains([{ ...chain, rpcUrls: [...witnesses], ...changes }])
}

/** A third and two thirds of BID; what rounding leaves is the first's. */
const OWED = [BID - (BID * 2n) / 3n, (BID * 2n) / 3n] as const

async function codeOf(request: RequestOf<'attestSettlement'>, enclave = scene.enclave) {
  try {
    await enclave.attestSettlement(request)
    return 'attested'
  } catch (error) {
    return error instanceof EnclaveError ? error.code : error
  }
}

describe('a delivery that paid everybody', () => {
  let id: bigint
  let request: RequestOf<'attestSettlement'>
  beforeAll(async () => {
    id = await delivered([BOB, ALICE], [OWED[1], OWED[0]])
    request = await scene.evidence(id)
  })

  test('is attested, by a signature over what the contract checks', async () => {
    const { settlement, signature, signer } = await scene.enclave.attestSettlement(request)
    const { attester } = await scene.enclave.publicKeys()
    expect(signer).toBe(attester)
    expect(settlement).toMatchObject({
      intentId: id,
      solver: scene.solver.address.toLowerCase(),
      destChainId: BigInt(scene.horizen.chainId),
      amountB: BID,
      feeBps: 250,
    })
    const digest = await scene.base.client.readContract({
      address: scene.base.contracts.bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'settlementDigest',
      args: [settlement],
    })
    const recovered = await recoverAddress({ hash: digest, signature })
    expect(recovered.toLowerCase()).toBe(attester)
  })

  test('not for another intent, chain or bridge', async () => {
    expect(await codeOf({ ...request, intentId: id + 1n })).toBe('EVIDENCE_INVALID')
    const { chainId } = scene.horizen
    expect(await codeOf({ ...request, sourceChainId: chainId })).toBe('EVIDENCE_INVALID')
    expect(await codeOf({ ...request, sourceChainId: 1 })).toBe('CHAIN_NOT_CONFIGURED')
    const chains = scene.chains.map((chain) => ({ ...chain, bridge: ALICE }))
    const elsewhere = await createEnclave({ roots: [ROOT], chains })
    expect(await codeOf(request, elsewhere)).toBe('EVIDENCE_INVALID')
  })

  test('not when anything of the evidence is changed, missing or there twice', async () => {
    const { events } = request
    for (const position of events.keys()) {
      expect(await codeOf({ ...request, events: events.toSpliced(position, 1) })).toMatch(
        /EVIDENCE_INVALID|REQUEST_INVALID/,
      )
      const one = events[position]!
      const twice = [...events, one]
      expect(await codeOf({ ...request, events: twice })).toBe('EVIDENCE_INVALID')
      const { header: known } = one as EventProof
      const header = { ...known, stateRoot: known.receiptsRoot }
      const forged = events.with(position, { ...one, header } as never)
      expect(await codeOf({ ...request, events: forged })).toBe('EVIDENCE_INVALID')
      const claimed = { ...one.claimed, transactionHash: `0x${'00'.repeat(32)}` as const }
      const renamed = events.with(position, { ...one, claimed })
      expect(await codeOf({ ...request, events: renamed })).toBe('EVIDENCE_INVALID')
    }
  })

  test('not before it is deep enough on both chains', async () => {
    const chains = scene.chains.map((chain) => ({ ...chain, confirmations: 5_000 }))
    const patient = await createEnclave({ roots: [ROOT], chains })
    expect(await codeOf(request, patient)).toBe('NOT_CONFIRMED')
  })

  test('not when one of two witnesses knows another block, or is away', async () => {
    const [base, horizen] = scene.chains
    const strangers = [
      { ...base!, witnesses: [...base!.witnesses, ...horizen!.witnesses] },
      horizen!,
    ]
    await scene.horizen.client.mine({ blocks: 200 })
    const deceived = await createEnclave({ roots: [ROOT], chains: strangers })
    expect(await codeOf(request, deceived)).toBe('BLOCK_NOT_CANONICAL')
    const away = [{ ...base!, witnesses: [...base!.witnesses, 'http://127.0.0.1:9'] }, horizen!]
    const alone = await createEnclave({ roots: [ROOT], chains: away })
    expect(await codeOf(request, alone)).toBe('WITNESS_UNREACHABLE')
  })

  test('also when one of three witnesses is away; not when one of them contradicts, which is told', async () => {
    const [base, horizen] = scene.chains
    const disagreements: Disagreement[] = []
    const codeWith = async (third: string, agreeing?: number) => {
      const [own] = base!.witnesses
      const witnesses = [own!, `${own}/?again`, third]
      const chains = [
        ...configured(base!, { rpcUrls: witnesses, agreeingWitnesses: agreeing }),
        horizen!,
      ]
      const onDisagreement = (one: Disagreement) => disagreements.push(one)
      return codeOf(request, await createEnclave({ roots: [ROOT], chains, onDisagreement }))
    }
    const nobody = 'http://127.0.0.1:9'
    expect(await codeWith(nobody)).toBe('attested')
    expect(await codeWith(nobody, 3)).toBe('WITNESS_UNREACHABLE')
    expect(disagreements).toEqual([])
    await scene.horizen.client.mine({ blocks: 200 })
    const [liar] = horizen!.witnesses
    expect(await codeWith(liar!)).toBe('BLOCK_NOT_CANONICAL')
    expect(disagreements[0]).toMatchObject({ chainId: base!.chainId })
    expect(disagreements[0]?.hashes.map(({ witness }) => witness).toSorted()).toEqual([0, 1, 2])
    expect(JSON.stringify(disagreements)).not.toContain('127.0.0.1')
  })

  test('not before it is as deep as its amount asks', async () => {
    const { ZEN } = scene.horizen.contracts.tokens
    const enclaveFor = (from: bigint) => {
      const confirmations = [{ from: String(from), blocks: 5_000 }]
      const tokens = { ZEN: { address: ZEN, decimals: 18, confirmations } }
      const [base, horizen] = scene.chains
      return createEnclave({ roots: [ROOT], chains: [base!, ...configured(horizen!, { tokens })] })
    }
    expect(await codeOf(request, await enclaveFor(BID))).toBe('NOT_CONFIRMED')
    expect(await codeOf(request, await enclaveFor(BID + 1n))).toBe('attested')
  })

  test('not by an enclave that can’t read who was to be paid', async () => {
    const stranger = await createEnclave({ roots: [new Uint8Array(32)], chains: scene.chains })
    expect(await codeOf(request, stranger)).toBe('RECIPIENTS_UNKNOWN')
  })
})

describe('a delivery that doesn’t count', () => {
  test('left a recipient a unit short of its share', async () => {
    const id = await delivered([ALICE, BOB], [OWED[0] + 1n, OWED[1] - 1n])
    expect(await codeOf(await scene.evidence(id))).toBe('RECIPIENTS_NOT_PAID')
  })

  test('paid somebody else', async () => {
    const id = await delivered([scene.solver.address], [BID])
    expect(await codeOf(await scene.evidence(id))).toBe('RECIPIENTS_NOT_PAID')
  })

  test('was in another token', async () => {
    const { USDC } = scene.horizen.contracts.tokens
    await scene.mint(USDC, BID)
    const id = await delivered([ALICE, BOB], OWED, USDC)
    expect(await codeOf(await scene.evidence(id))).toBe('NOT_THE_WINNERS_DELIVERY')
  })

  test('was less than the winner’s bid', async () => {
    const id = await delivered([ALICE, BOB], [OWED[0] - 1n, OWED[1]])
    expect(await codeOf(await scene.evidence(id))).toBe('NOT_THE_WINNERS_DELIVERY')
  })

  test('was undone by a reorg', async () => {
    const id = await delivered([ALICE, BOB], OWED)
    const request = await scene.evidence(id)
    expect(await codeOf(request)).toBe('attested')
    const { client } = scene.horizen
    await client.request({ method: 'anvil_reorg', params: [2, []] } as never)
    expect(await codeOf(request)).toBe('BLOCK_NOT_CANONICAL')
  })
})

/** By BID, paid to one alone. */
async function wonAndPaid(id: bigint, payee: `0x${string}`): Promise<void> {
  const { play } = scene
  await play.bid(id)
  await play.endAuction()
  await play.deposit(id)
  await scene.deliver(id, [payee], [BID])
  await deepen()
}

describe('recipients', () => {
  test('are those of the last blob before the winner’s deposit, not of one after it', async () => {
    const { play } = scene
    const id = await play.create()
    await scene.anchor(id, await scene.seal(id, [ALICE], [EXPECTED]))
    await scene.append(id, await scene.seal(id, [BOB], [EXPECTED]))
    // Metadata alone replaces nobody.
    await scene.append(id, await scene.seal(id, [], []))
    await play.bid(id)
    await play.endAuction()
    await play.deposit(id)
    await scene.append(id, await scene.seal(id, [ALICE], [EXPECTED]))
    await scene.deliver(id, [BOB], [BID])
    await deepen()
    const request = await scene.evidence(id)
    expect(await codeOf(request)).toBe('attested')
  })

  test('are those of the last blob also when the relayer appended before it anchored', async () => {
    const { play } = scene
    const id = await play.create()
    await scene.append(id, await scene.seal(id, [BOB], [EXPECTED]))
    await scene.anchor(id, await scene.seal(id, [ALICE], [EXPECTED]))
    await wonAndPaid(id, ALICE)
    expect(await codeOf(await scene.evidence(id))).toBe('attested')
  })

  test('that were replaced don’t count because the replacement is left out of the evidence', async () => {
    const { play } = scene
    const id = await play.create()
    await scene.anchor(id, await scene.seal(id, [ALICE], [EXPECTED]))
    for (const payee of [ALICE, BOB])
      await scene.append(id, await scene.seal(id, [payee], [EXPECTED]))
    await wonAndPaid(id, ALICE)
    const request = await scene.evidence(id)
    expect(await codeOf(request)).toBe('RECIPIENTS_NOT_PAID')
    const isAppended = ({ type }: { type: string }) => type === 'BlobAppended'
    const first = request.events.find(isAppended)!
    const without = request.events.filter((one) => !isAppended(one))
    for (const events of [without, [...without, first], [...without, first, first]])
      expect(await codeOf({ ...request, events })).toBe('EVIDENCE_INVALID')
  })

  test('are those that one honest witness tells of, however little others tell or allow', async () => {
    const { play, base } = scene
    const id = await play.create()
    await scene.anchor(id, await scene.seal(id, [ALICE], [EXPECTED]))
    await base.client.mine({ blocks: 40 })
    await scene.append(id, await scene.seal(id, [BOB], [EXPECTED]))
    await wonAndPaid(id, ALICE)
    const request = await scene.evidence(id)
    const without = request.events.filter(({ type }) => type !== 'BlobAppended')
    const proxy = await startFaultyRpc(base.node.rpc)
    const [first, horizen] = scene.chains
    const disagreements: Disagreement[] = []
    const ask = async (rpcUrls: string[], events = without) => {
      const chains = [...configured(first!, { rpcUrls }), horizen!]
      const onDisagreement = (one: Disagreement) => disagreements.push(one)
      const enclave = await createEnclave({ roots: [ROOT], chains, onDisagreement })
      return codeOf({ ...request, events }, enclave)
    }
    const logs = (fault: (range: { fromBlock: Hex; toBlock: Hex }) => Fault | undefined) =>
      proxy.inject(({ method, params }) =>
        method === 'eth_getLogs' ? fault(params[0] as never) : undefined,
      )
    // One that hides it.
    const hide = (told: unknown) => (told as { topics: Hex[] }[]).filter((_, at) => at !== 1)
    logs(() => ({ change: hide }))
    expect(await ask([proxy.url])).toBe('attested')
    expect(await ask([proxy.url, base.node.rpc])).toBe('EVIDENCE_INVALID')
    expect(disagreements).toMatchObject([{ chainId: base.chainId, about: 'logs' }])
    // One that has lost its old logs, or lags, says nothing.
    logs(() => ({ result: [] }))
    expect(await ask([proxy.url])).toBe('WITNESS_UNREACHABLE')
    // One that allows ten blocks at once.
    logs(({ fromBlock, toBlock }) =>
      Number(toBlock) - Number(fromBlock) < 10
        ? undefined
        : { error: { code: -32_005, message: 'at most 10 blocks' } },
    )
    expect(await ask([proxy.url])).toBe('EVIDENCE_INVALID')
    expect(await ask([proxy.url], request.events)).toBe('RECIPIENTS_NOT_PAID')
    await proxy.close()
  })

  test('sealed to a key that is gone are unknown, though an earlier blob could be read', async () => {
    const { play } = scene
    const id = await play.create()
    await scene.anchor(id, await scene.seal(id, [ALICE], [EXPECTED]))
    const sealed = await scene.seal(id, [BOB], [EXPECTED])
    await scene.append(id, `${sealed.slice(0, 4)}00000000${sealed.slice(12)}` as `0x${string}`)
    await play.bid(id)
    await play.endAuction()
    await play.deposit(id)
    await scene.deliver(id, [ALICE], [BID])
    await deepen()
    expect(await codeOf(await scene.evidence(id))).toBe('RECIPIENTS_UNKNOWN')
  })

  test('of another intent’s blob are nobody', async () => {
    const { play } = scene
    const other = await play.create()
    const id = await play.create()
    await scene.anchor(id, await scene.seal(other, [ALICE], [EXPECTED]))
    await play.bid(id)
    await play.endAuction()
    await play.deposit(id)
    await scene.deliver(id, [ALICE], [BID])
    await deepen()
    expect(await codeOf(await scene.evidence(id))).toBe('RECIPIENTS_UNKNOWN')
  })
})
