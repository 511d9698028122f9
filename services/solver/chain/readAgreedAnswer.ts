import { serialize } from 'node:v8'
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

/** The block at which nodes are compared. With more than two nodes, a minority can't choose it. */
export async function readAgreedBlock(
  chain: SolverChain,
): Promise<{ number: bigint; timestamp: bigint; baseFeePerGas: bigint }> {
  const heads = await queryEach(chain, ({ client }) => client.getBlockNumber())
  const blockNumber =
    heads.length > 2
      ? findLowerMedian(heads.map(({ answer }) => answer))
      : firstConfigured(chain, heads).answer
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
  { nodes }: SolverChain,
  answers: readonly NodeAnswer<Answer>[],
): NodeAnswer<Answer> {
  return answers.reduce((first, other) =>
    nodes.indexOf(other.node) < nodes.indexOf(first.node) ? other : first,
  )
}

function contentOf({ answer }: NodeAnswer<unknown>): string {
  return serialize(answer).toString('latin1')
}
