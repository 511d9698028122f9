import {
  type ContractFunctionArgs,
  type ContractFunctionReturnType,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseEventLogs,
} from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Artifacts } from '../artifacts.ts'
import type { Auction, Windows } from './auctionRules.ts'
import { type Deployment, deployForReplay, destination } from './deployForReplay.ts'
import { type Node, startReplayNode } from './startReplayNode.ts'

type Views = 'getIntent' | 'stakeOf' | 'uncollectedFees'

/** A bridge on its own node: one account is the sender, each of the model's solvers another. */
export type Chain = Deployment & {
  chainId: number
  sender: Hex
  solver(account: number): Hex
  /** Sets each solver's stake. */
  prepareStakes(stakes: readonly number[]): Promise<void>
  /** Creates an intent some seconds after the previous block. */
  create(terms: Terms): Promise<{ intentId: bigint; createdAt: number }>
  /** Sends a call to the bridge in a block at this time; returns the error's name, or undefined. */
  send(from: Hex, data: Hex, time: number): Promise<string | undefined>
  read<Name extends Views>(
    name: Name,
    args: ContractFunctionArgs<typeof bridgeIntentV2Abi, 'view', Name>,
  ): Promise<ContractFunctionReturnType<typeof bridgeIntentV2Abi, 'view', Name>>
  balanceOf(account: Hex): Promise<bigint>
  stop(): Promise<void>
}

type Terms = Pick<Auction, 'amountA' | 'reward' | 'expectedAmountB' | 'duration'>

/** Stands for the destination's token. */
const tokenB: Hex = '0x00000000000000000000000000000000000000b0'
/** The first account deploys, the second is the sender. */
const firstSolver = 2

export async function openReplayChain(artifacts: Artifacts, windows: Windows): Promise<Chain> {
  const node = await startReplayNode()
  const deployment = await deployForReplay(node, artifacts, windows)
  const solver = (account: number) => node.accounts[firstSolver + account] as Hex
  const read = ((functionName: Views, args: never) => {
    const contract = { address: deployment.bridge, abi: bridgeIntentV2Abi } as const
    return node.client.readContract({ ...contract, functionName, args })
  }) as Chain['read']
  return {
    ...deployment,
    chainId: node.chainId,
    sender: node.accounts[1] as Hex,
    solver,
    read,
    prepareStakes: async (stakes) => {
      for (const [account, requested] of stakes.entries()) {
        const [total] = await read('stakeOf', [solver(account), deployment.token])
        await moveStake(node, deployment, solver(account), BigInt(requested) - total)
      }
    },
    create: (terms) => create(node, deployment, node.accounts[1] as Hex, terms),
    send: async (from, data, time) => {
      const receipt = await node.transact(from, deployment.bridge, data, time)
      return receipt.status === 'success' ? undefined : await node.errorOf(receipt)
    },
    balanceOf: (account) =>
      node.client.readContract({
        address: deployment.token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [account],
      }),
    stop: node.stop,
  }
}

async function moveStake(node: Node, { bridge, token }: Deployment, from: Hex, by: bigint) {
  if (by === 0n) return
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: by > 0n ? 'stake' : 'unstake',
    args: [token, by > 0n ? by : -by],
  })
  await node.succeed(from, bridge, data)
}

async function create(node: Node, { bridge, token }: Deployment, sender: Hex, terms: Terms) {
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [
      token,
      tokenB,
      BigInt(terms.amountA),
      BigInt(terms.expectedAmountB),
      BigInt(terms.reward),
      BigInt(destination),
      BigInt(terms.duration),
    ],
  })
  const { logs, blockNumber } = await node.succeed(sender, bridge, data)
  const [created] = parseEventLogs({ abi: bridgeIntentV2Abi, logs, eventName: 'IntentCreated' })
  if (created === undefined) throw new Error('no intent was created')
  const { timestamp } = await node.client.getBlock({ blockNumber })
  return { intentId: created.args.intentId, createdAt: Number(timestamp) }
}
