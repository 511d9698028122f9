import { encodeEventTopics, type Hex, parseEventLogs } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { SolverError } from '../solverError.ts'
import { readRecentLogs } from './readRecentLogs.ts'
import { readSourceIntents } from './readSourceIntents.ts'
import type { SolverChain, SolverNode } from './solverChain.ts'

/** A node's report of the recipients on chain: null for none, undefined if it doesn't answer. */
type RevealReport = Pick<SolverNode, 'name' | 'operator'> & { sealed: Hex | null | undefined }

/**
 * The sealed recipients revealed on chain to an intent's winner after it asked; null if there are none. The contract
 * checked the enclaves' signatures, but a log from a single node proves nothing, so we ask every node.
 *
 * @throws SolverError `REVEAL_UNPROVEN`, without naming a recipient
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
 * Requires all answering nodes to agree, and nodes of at least two operators: anyone can seal recipients to us, so a
 * single operator could name a thief.
 *
 * @throws SolverError `REVEAL_UNPROVEN`, without naming a recipient
 */
function agreedReveal(reports: readonly RevealReport[]): Hex | null {
  const answered = reports.filter(({ sealed }) => sealed !== undefined)
  const [sealed, ...others] = new Set(answered.map((report) => report.sealed))
  if (others.length > 0) {
    const views = answered.map(
      (report) => `${report.name} shows ${report.sealed ? 'some' : 'none'}`,
    )
    throw new SolverError(
      'REVEAL_UNPROVEN',
      `nodes disagree about the recipients on chain (${views.join(', ')}): check with another node`,
    )
  }
  if (!sealed) return null
  if (new Set(answered.map(({ operator }) => operator)).size < 2)
    throw new SolverError(
      'REVEAL_UNPROVEN',
      'only one operator’s nodes show recipients on chain: add or repair a node of another operator',
    )
  return sealed
}

async function readRevealAt(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const head = await chain.client.getBlockNumber()
  const block = head - BigInt(chain.confirmations)
  const [confirmed] = block < 0n ? [] : await readSourceIntents(chain, [intentId], block)
  if (!confirmed?.asked || !confirmed.revealed) return null
  const event = {
    abi: bridgeIntentV2Abi,
    eventName: 'RecipientsRevealed',
    args: { intentId },
  } as const
  const { executionWindow } = await chain.terms()
  const depositedAt = confirmed.fillDeadline - executionWindow
  const logs = await readRecentLogs(chain, encodeEventTopics(event), depositedAt)
  const [log] = parseEventLogs({ ...event, logs })
  return log?.args.sealedRecipients ?? null
}
