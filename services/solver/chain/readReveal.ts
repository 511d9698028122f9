import { encodeEventTopics, type Hex, parseEventLogs } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readRecentLogs } from './readRecentLogs.ts'
import { readSourceIntents } from './readSourceIntents.ts'
import type { SolverChain, SolverNode } from './solverChain.ts'

/** What a node reports as revealed on chain to an intent's winner: null for nothing, undefined without an answer. */
type ReportedReveal = Pick<SolverNode, 'name' | 'operator'> & { sealed: Hex | null | undefined }

/** Nodes report recipients on chain, but not enough of them agree. Its message, for the operator, names no recipient. */
class RevealUnprovenError extends Error {
  override readonly name = 'RevealUnprovenError'
  readonly code = 'REVEAL_UNPROVEN'
}

/**
 * The sealed recipients that were revealed on chain to an intent's winner, after it asked; null if there are none.
 * The contract has checked the enclaves' signatures, but a log proves nothing: every node is asked.
 *
 * @throws RevealUnprovenError
 */
export async function readReveal(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const reports = await Promise.all(
    chain.nodes.map(async ({ name, operator, client }) => {
      const sealed = await readRevealAt({ ...chain, client }, intentId).catch(() => undefined)
      return { name, operator, sealed }
    }),
  )
  return agreedReveal(reports)
}

/**
 * What every node that answers reports, if they belong to at least two operators. Anyone can seal recipients to us,
 * so a single node could name a thief.
 *
 * @throws RevealUnprovenError
 */
function agreedReveal(reports: readonly ReportedReveal[]): Hex | null {
  const answered = reports.filter(({ sealed }) => sealed !== undefined)
  const [sealed, ...others] = new Set(answered.map((one) => one.sealed))
  if (others.length > 0) {
    const views = answered.map((one) => `${one.name} shows ${one.sealed ? 'some' : 'none'}`)
    throw new RevealUnprovenError(
      `nodes disagree about the recipients on chain (${views.join(', ')}): compare them with another node`,
    )
  }
  if (!sealed) return null
  if (new Set(answered.map(({ operator }) => operator)).size < 2)
    throw new RevealUnprovenError(
      'only nodes of one operator show recipients on chain: add a node of another operator, or repair it',
    )
  return sealed
}

async function readRevealAt(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const head = await chain.client.getBlockNumber()
  const deep = head - BigInt(chain.confirmations)
  const [then] = deep < 0n ? [] : await readSourceIntents(chain, [intentId], deep)
  if (!then?.asked || !then.revealed) return null
  const event = {
    abi: bridgeIntentV2Abi,
    eventName: 'RecipientsRevealed',
    args: { intentId },
  } as const
  const logs = await readRecentLogs(chain, encodeEventTopics(event))
  const [log] = parseEventLogs({ ...event, logs })
  return log?.args.sealedRecipients ?? null
}
