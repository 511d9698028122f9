import { encodeEventTopics, type Hex, parseEventLogs } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { readRecentLogs } from './readRecentLogs.ts'
import { readSource } from './readSource.ts'
import type { SolverChain, SolverNode } from './solverChain.ts'

/** What a node says was put on chain for an intent's winner: null for nothing, undefined without an answer. */
type SaidReveal = Pick<SolverNode, 'name' | 'operator'> & { sealed: Hex | null | undefined }

/** Nodes say that recipients are on chain, but we can't believe it. For the operator: no recipient is named. */
class RevealUnprovenError extends Error {
  override readonly name = 'RevealUnprovenError'
  readonly code = 'REVEAL_UNPROVEN'
}

/**
 * The sealed recipients that were put on chain for an intent's winner, after it asked; null when there are none.
 * The contract has checked the enclaves' signatures, but a log proves nothing: every node is asked.
 *
 * @throws RevealUnprovenError
 */
export async function readReveal(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const said = await Promise.all(
    chain.nodes.map(async ({ name, operator, client }) => {
      const sealed = await readRevealAt({ ...chain, client }, intentId).catch(() => undefined)
      return { name, operator, sealed }
    }),
  )
  return agreedReveal(said)
}

/**
 * What every node that answers says, if they are two operators' or more: anyone can seal recipients to us, so a
 * node alone could name a thief.
 *
 * @throws RevealUnprovenError
 */
function agreedReveal(said: readonly SaidReveal[]): Hex | null {
  const heard = said.filter(({ sealed }) => sealed !== undefined)
  const [sealed, ...others] = new Set(heard.map((one) => one.sealed))
  if (others.length > 0) {
    const stands = heard.map((one) => `${one.name} ${one.sealed ? 'shows some' : 'shows none'}`)
    throw new RevealUnprovenError(
      `nodes disagree about the recipients on chain (${stands.join(', ')}): compare with another node`,
    )
  }
  if (!sealed) return null
  if (new Set(heard.map(({ operator }) => operator)).size < 2)
    throw new RevealUnprovenError(
      'nodes of one operator alone show recipients on chain: add or mend a node of another operator',
    )
  return sealed
}

async function readRevealAt(chain: SolverChain, intentId: bigint): Promise<Hex | null> {
  const head = await chain.client.getBlockNumber()
  const deep = head - BigInt(chain.confirmations)
  const [then] = deep < 0n ? [] : await readSource(chain, [intentId], deep)
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
