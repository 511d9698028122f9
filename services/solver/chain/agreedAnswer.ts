import { serialize } from 'node:v8'
import { lowerMedian, majority } from '../../chain/transactions/agreement.ts'
import type { SolverChain, SolverNode } from './solverChain.ts'

type Said<Answer> = { node: SolverNode; answer: Answer }

/** What most of a chain's nodes say; where they differ evenly, what the one says that the operator named first. */
export async function agreedAnswer<Answer>(
  chain: SolverChain,
  ask: (chain: SolverChain) => Promise<Answer>,
): Promise<Answer> {
  const said = await queryEach(chain, ask)
  return (majority(said, wordOf) ?? firstNamed(chain, said)).answer
}

/** The block at which nodes are compared: of more than two that differ, a minority doesn't choose it. */
export async function agreedBlock(
  chain: SolverChain,
): Promise<{ number: bigint; timestamp: bigint }> {
  const said = await queryEach(chain, ({ client }) => client.getBlockNumber())
  const blockNumber =
    said.length > 2 ? lowerMedian(said.map(({ answer }) => answer)) : firstNamed(chain, said).answer
  return agreedAnswer(chain, async ({ client }) => {
    const { number, timestamp } = await client.getBlock({ blockNumber })
    return { number, timestamp }
  })
}

function queryEach<Answer>(
  chain: SolverChain,
  ask: (chain: SolverChain) => Promise<Answer>,
): Promise<Said<Answer>[]> {
  return chain.queryAll(
    async (node) => ({ node, answer: await ask({ ...chain, client: node.client }) }),
    wordOf,
  )
}

function firstNamed<Answer>({ nodes }: SolverChain, said: readonly Said<Answer>[]): Said<Answer> {
  return said.reduce((first, one) =>
    nodes.indexOf(one.node) < nodes.indexOf(first.node) ? one : first,
  )
}

function wordOf({ answer }: Said<unknown>): string {
  return serialize(answer).toString('latin1')
}
