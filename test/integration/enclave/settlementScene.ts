import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { fetchBlock } from '../../../api/relayer/proof/fetchBlock.ts'
import { proveEvents } from '../../../api/relayer/proof/proveEvents.ts'
import type { EventProof } from '../../../core/proof/proofDocument.ts'
import { askChain } from '../../../services/chain/askChain.ts'
import { enclaveChains } from '../../../services/enclave/chains.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { RequestOf } from '../../../services/enclave/port.ts'
import { paramsHash, paramsOfLog } from '../../../src/blob/paramsHash.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeEvent, Hex as LowerHex } from '../../../src/event/bridgeEvent.ts'
import { toEventRow } from '../../../src/projection/eventRow.ts'
import { type BridgeChain, eventsOf, startBridgePair } from '../indexer/bridgePair.ts'

export const ROOT = new Uint8Array(32).fill(0xa7)

/** Who the bundles of the scene pay. */
export const RECIPIENTS: [LowerHex, LowerHex] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]

/** Two real chains with bridges on them, and an enclave that knows both. */
export async function startSettlementScene() {
  const pair = await startBridgePair()
  const { base, horizen } = pair
  const solver = horizen.solvers[0]!
  const chains = enclaveChains([base.config, horizen.config])
  const enclave = await createEnclave({ roots: [ROOT], chains })

  /** The intent's events on both chains. */
  async function history(id: bigint): Promise<BridgeEvent[]> {
    const all = [...(await eventsOf(base)), ...(await eventsOf(horizen))]
    return all.filter(({ args }) => 'intentId' in args && args.intentId === id)
  }

  /** Seals a bundle for the intent, by the terms that its log tells of. */
  async function seal(id: bigint, payees: readonly LowerHex[], amounts: readonly bigint[]) {
    const created = (await history(id)).find(({ type }) => type === 'IntentCreated')
    if (created?.type !== 'IntentCreated') throw new Error('there is no such intent')
    const { args, point, address } = created
    const { blob } = await enclave.sealBlob({
      sourceChainId: base.chainId,
      bridge: address,
      user: args.user,
      paramsHash: paramsHash(paramsOfLog(args, point.blockTimestamp)),
      intentId: id,
      recipients: [...payees],
      amounts: [...amounts],
      createdAt: point.blockTimestamp,
      origin: 'encrypted',
    })
    return blob
  }

  return {
    ...pair,
    enclave,
    chains,
    solver,
    history,
    seal,
    anchor: (id: bigint, blob: Hex) => sendBy(base, 'anchorIntent', [id, 250, blob]),
    append: (id: bigint, blob: Hex) => sendBy(base, 'appendBlob', [id, blob]),
    deliver: (id: bigint, payees: readonly Hex[], amounts: readonly bigint[], token?: Hex) => {
      const { contracts } = horizen
      const tokenB = token ?? contracts.tokens.ZEN
      const args = [BigInt(base.chainId), id, tokenB, payees, amounts]
      return solver.execute({ to: contracts.bridge, data: callOf('solveIntent', args) })
    },
    /** The devnet's tokens are anybody's to make. */
    mint: (token: Hex, amount: bigint) => {
      const abi = parseAbi(['function mint(address to, uint256 amount)'])
      const data = encodeFunctionData({ abi, args: [solver.address, amount] })
      return solver.execute({ to: token, data })
    },
    /** What `attestSettlement` is asked, proven from the nodes' own blocks. */
    async evidence(id: bigint): Promise<RequestOf<'attestSettlement'>> {
      const relevant = (await history(id)).filter(({ type }) => NEEDED.has(type))
      const events = await Promise.all(relevant.map((event) => proofOf(pair, event)))
      return { sourceChainId: base.chainId, intentId: id, events }
    },
  }
}

export type SettlementScene = Awaited<ReturnType<typeof startSettlementScene>>

const NEEDED: ReadonlySet<string> = new Set([
  'IntentCreated',
  'IntentAnchored',
  'SolverDeposited',
  'BlobAppended',
  'IntentSolved',
])

async function proofOf(
  { base, horizen }: { base: BridgeChain; horizen: BridgeChain },
  event: BridgeEvent,
): Promise<EventProof> {
  const chain = event.point.chainId === base.chainId ? base : horizen
  const block = await fetchBlock(askChain(chain.node.rpc), event.point)
  const [proof] = await proveEvents(block, [toEventRow(event)], event.address)
  return proof!
}

function sendBy({ relayer, contracts }: BridgeChain, name: string, args: readonly unknown[]) {
  return relayer.execute({ to: contracts.bridge, data: callOf(name, args) })
}

function callOf(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args } as never)
}
