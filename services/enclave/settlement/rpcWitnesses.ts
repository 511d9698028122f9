import { concat, createPublicClient, http, keccak256, type PublicClient } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { usualAgreement } from '../../chain/usualAgreement.ts'
import type { EnclaveChain } from '../chains.ts'
import { EnclaveError } from '../enclaveError.ts'
import { askLogs } from './askLogs.ts'
import { type Given, gatherAnswers } from './gatherAnswers.ts'
import { createLogsBegun } from './logsBegun.ts'
import type { Disagreement, Witnesses } from './witnesses.ts'

/** Milliseconds that a witness has for one attempt at an answer. */
const PATIENCE = 5_000

/** Milliseconds that the others get once enough have answered. */
const GRACE = 2_000

/**
 * Witnesses that are asked over JSON-RPC, each by itself: nothing here chooses whom to believe. As many
 * as a chain's `agreeing` must say the same; one that is away is done without, one that says something
 * else stops everything.
 *
 * @param onDisagreement told when two witnesses contradict each other: one of them lies
 */
export function rpcWitnesses(
  chains: readonly EnclaveChain[],
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): Witnesses {
  const known = new Map(
    chains.map(({ chainId, witnesses, agreeing }) => {
      const nodes = witnesses.map((url) => ({ url, client: clientOf(url) }))
      return [chainId, { nodes, needed: agreeing ?? usualAgreement(nodes.length) }]
    }),
  )

  const begun = createLogsBegun()

  async function askAll<Answer>(
    chainId: number,
    ask: (client: PublicClient, url: string) => Promise<Answer>,
  ): Promise<{ given: [Given<Answer>, ...Given<Answer>[]]; needed: number }> {
    const { nodes, needed } = known.get(chainId) ?? { nodes: [], needed: 1 }
    const asked = nodes.map(({ client, url }) => ask(client, url))
    const [first, ...others] = await gatherAnswers(asked, needed, GRACE)
    if (first === undefined || others.length + 1 < needed) {
      throw new EnclaveError('WITNESS_UNREACHABLE')
    }
    return { given: [first, ...others], needed }
  }

  return {
    async head(chainId) {
      const asked = await askAll(chainId, (client) => client.getBlock({ blockTag: 'latest' }))
      const heads = asked.given.map(({ answer: { number, timestamp } }) => ({
        ...{ number: Number(number), timestamp: Number(timestamp) },
      }))
      // As many as are needed have come so far; one that lags holds nobody up.
      const foremost = heads.toSorted((a, b) => b.number - a.number).slice(0, asked.needed)
      return {
        number: Math.min(...foremost.map(({ number }) => number)),
        timestamp: Math.min(...foremost.map(({ timestamp }) => timestamp)),
      }
    },
    async block(chainId, number) {
      // A witness that doesn't have the block yet says nothing of it.
      const { given } = await askAll(chainId, (client) =>
        client.getBlock({ blockNumber: BigInt(number), includeTransactions: false }),
      )
      const [{ answer: block }] = given
      if (given.some(({ answer }) => answer.hash !== block.hash)) {
        const hashes = given.map(({ witness, answer: { hash } }) => ({
          witness,
          hash: lower(hash),
        }))
        onDisagreement({ chainId, about: 'block', number, hashes })
        throw new EnclaveError('BLOCK_NOT_CANONICAL')
      }
      return { hash: lower(block.hash), transactions: block.transactions.map(lower) }
    },
    async logs(chainId, wanted, isWhole) {
      const { given } = await askAll(chainId, async (_, url) => {
        const read = begun.take(url, wanted)
        const logs = await askLogs(url, wanted, read).catch((error: unknown) => {
          begun.keep(url, wanted, read)
          throw error
        })
        if (!isWhole(logs)) throw new EnclaveError('WITNESS_UNREACHABLE')
        return logs
      })
      const hashes = given.map(({ witness, answer }) => ({
        witness,
        hash: keccak256(concat(answer.map(({ transactionHash }) => transactionHash))),
      }))
      if (new Set(hashes.map(({ hash }) => hash)).size > 1) {
        onDisagreement({ chainId, about: 'logs', number: wanted.to, hashes })
      }
      return given.map(({ answer }) => answer)
    },
  }
}

function clientOf(url: string): PublicClient {
  return createPublicClient({ transport: http(url, { timeout: PATIENCE, retryCount: 1 }) })
}

function lower(hash: Hex): Hex {
  return hash.toLowerCase() as Hex
}
