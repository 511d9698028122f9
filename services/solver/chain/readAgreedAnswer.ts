import { serialize } from 'node:v8'
import type { Hex } from 'viem'
import { findStalledProviders, noteHead } from '../../chain/transactions/chainNodes.ts'
import { findLowerMedian, findMajority } from '../../chain/transactions/medianAndMajority.ts'
import type { SolverChain, SolverNode } from './solverChain.ts'

type NodeAnswer<Answer> = { node: SolverNode; answer: Answer }

/** The answer of most of a chain's nodes; without a majority, that of the node configured first. */
export async function readAgreedAnswer<Answer>(
  chain: SolverChain,
  ask: (chain: SolverChain) => Promise<Answer>,
): Promise<Answer> {
  const answers = await queryEach(chain, ask)
  return (findMajority(answers, contentOf) ?? firstConfigured(chain, answers)).answer
}

/** The fields of a block that a round depends on. */
export type AgreedBlock = {
  number: bigint
  hash: Hex
  timestamp: bigint
  baseFeePerGas: bigint
  gasLimit: bigint
}

/**
 * The block at which nodes are compared. With more than two nodes, a minority can't choose it. Of two, the one configured
 * first does, unless its head is stale: by its time we would miss the window for a deposit and lose the bond.
 */
export async function readAgreedBlock(chain: SolverChain): Promise<AgreedBlock> {
  const { heads, nodes } = chain
  const reported = await chain.queryAll(
    async (node) => {
      const answer = await readBlock(node.client)
      noteHead(heads, node, Number(answer.number), performance.now())
      return { node, answer }
    },
    ({ answer }) => String(answer.number),
  )
  const stalled = findStalledProviders(heads, performance.now())
  const live = reported.filter(({ node }) => !stalled.has(node))
  const counted = live.length > 0 ? live : reported
  const blockNumber =
    reported.length > 2
      ? findLowerMedian(counted.map(({ answer }) => answer.number))
      : firstConfigured({ nodes }, counted).answer.number
  const latest = new Map(reported.map(({ node, answer }) => [node.client, answer]))
  return readAgreedAnswer(chain, async ({ client }) => {
    const own = latest.get(client)
    return own?.number === blockNumber ? own : readBlock(client, blockNumber)
  })
}

/** @param blockNumber the node's latest block if undefined */
async function readBlock(
  client: SolverChain['client'],
  blockNumber?: bigint,
): Promise<AgreedBlock> {
  const block = await client.getBlock(blockNumber === undefined ? {} : { blockNumber })
  const { number, hash, timestamp, baseFeePerGas, gasLimit } = block
  return { number, hash, timestamp, baseFeePerGas: baseFeePerGas ?? 0n, gasLimit }
}

function queryEach<Answer>(
  chain: SolverChain,
  ask: (chain: SolverChain) => Promise<Answer>,
): Promise<NodeAnswer<Answer>[]> {
  return chain.queryAll(
    async (node) => ({ node, answer: await ask({ ...chain, client: node.client }) }),
    contentOf,
  )
}

function firstConfigured<Answer>(
  { nodes }: Pick<SolverChain, 'nodes'>,
  answers: readonly NodeAnswer<Answer>[],
): NodeAnswer<Answer> {
  return answers.reduce((first, other) =>
    nodes.indexOf(other.node) < nodes.indexOf(first.node) ? other : first,
  )
}

function contentOf({ answer }: NodeAnswer<unknown>): string {
  return serialize(answer).toString('latin1')
}
