import { serialize } from 'node:v8'
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

/**
 * The block at which nodes are compared. With more than two nodes, a minority can't choose it. Of two, the one configured
 * first does, unless it serves an old head: by its time we would miss the windows of a deposit, and lose the bond.
 */
export async function readAgreedBlock(
  chain: SolverChain,
): Promise<{ number: bigint; timestamp: bigint; baseFeePerGas: bigint }> {
  const { heads, nodes } = chain
  const reported = await chain.queryAll(
    async (node) => {
      const answer = await node.client.getBlockNumber()
      noteHead(heads, node, Number(answer), performance.now())
      return { node, answer }
    },
    ({ answer }) => String(answer),
  )
  const stalled = findStalledProviders(heads, performance.now())
  const live = reported.filter(({ node }) => !stalled.has(node))
  const counted = live.length > 0 ? live : reported
  const blockNumber =
    reported.length > 2
      ? findLowerMedian(counted.map(({ answer }) => answer))
      : firstConfigured({ nodes }, counted).answer
  return readAgreedAnswer(chain, async ({ client }) => {
    const { number, timestamp, baseFeePerGas } = await client.getBlock({ blockNumber })
    return { number, timestamp, baseFeePerGas: baseFeePerGas ?? 0n }
  })
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
