import { parseProof } from '../../../../core/proof/parseProof.ts'
import type { EventProof, ProofDocument } from '../../../../core/proof/proofDocument.ts'
import { verifyEventProof } from '../../../../core/proof/verifyEventProof.ts'
import { fetchProof } from '../../../../sdk/verify/fetchProof.ts'
import { ProofError, type VerifiedIntent, verifyProof } from '../../../../sdk/verify/index.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { formatChainName } from '../../parts/formatChainName.ts'
import { formatEventName } from '../../parts/formatEventName.ts'
import { checkRecord } from './checkRecord.ts'
import { findFailedCheck } from './findFailedCheck.ts'
import { eventChecks, type Step, waitingStep } from './verificationStep.ts'

/** Building a proof for the first time is slow. */
const PAGE_TIMEOUT_MS = 60_000

type Options = {
  /** Origin of the server, which isn't trusted. */
  origin: string
  /** Called when a step starts and when it ends. */
  onStep(step: Step): void
}

/**
 * Fetches an intent's proof and checks it with the SDK's verifier, event by event first, so that readers see
 * what is checked and where a false proof fails.
 *
 * @returns null when a step has failed
 */
export async function verifyInSteps(
  intentId: bigint,
  { origin, onStep }: Options,
): Promise<VerifiedIntent | null> {
  const run = stepRunner(onStep)
  try {
    const pages = await run(waitingStep('fetch', 'Fetch the proof from this server'), async () => {
      const found = await fetchProof(origin, intentId, PAGE_TIMEOUT_MS)
      return [found, `${kilobytes(found)} in ${counted(found.length, 'page')}`]
    })
    const documents = await run(waitingStep('read', 'Read it, strictly'), async () => {
      const read = pages.map((page) => parseProof(page))
      return [read, 'Every field is known and in canonical form']
    })
    const events = eventsOf(documents)
    for (const event of events) onStep(stepOf(event))
    for (const event of events) await run(stepOf(event), () => checkEvent(event, intentId))
    const verified = await run(
      waitingStep('history', 'Check the events as one history'),
      async () => checkHistory(intentId, pages),
    )
    await run(waitingStep('record', 'Compare it with this server’s record'), async () => {
      const proven = await checkRecord(origin, verified)
      return [null, `The record agrees in ${counted(proven, 'proven field')}`]
    })
    return verified
  } catch (error) {
    if (error instanceof StepFailed) return null
    throw error
  }
}

/** A step failed, and the page already shows why. */
class StepFailed extends Error {}

function stepRunner(onStep: Options['onStep']) {
  return async <Value>(
    step: Step,
    check: () => Promise<readonly [Value, string]>,
  ): Promise<Value> => {
    onStep({ ...step, state: 'running' })
    await drawn()
    const isEvent = step.checks.length > 0
    try {
      const [value, note] = await check()
      onStep({ ...step, state: 'passed', note, checks: isEvent ? eventChecks(null) : [] })
      return value
    } catch (error) {
      const { message, code } = error as { message: string; code?: ProofError['code'] }
      const note = code === undefined ? message : `${message} (${code})`
      const checks =
        isEvent && code !== undefined ? eventChecks(findFailedCheck(code)) : step.checks
      onStep({ ...step, state: 'failed', note, checks })
      throw new StepFailed()
    }
  }
}

/** Lets the page repaint before the next step blocks the thread. */
function drawn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

type PlacedEvent = { proof: EventProof; bridge: Hex | null; key: string }

/** The events of all pages and the bridge's deployment, by time. */
function eventsOf(documents: readonly ProofDocument[]): PlacedEvent[] {
  const bridges = new Map(
    documents.flatMap((one) => one.bridges.map(({ chainId, address }) => [chainId, address])),
  )
  const deployment = documents[0]?.deployment
  const proofs = [...(deployment ? [deployment] : []), ...documents.flatMap((one) => one.events)]
  const time = ({ header }: EventProof) => Number(header.timestamp)
  return proofs
    .toSorted((a, b) => time(a) - time(b) || a.claimed.logIndex - b.claimed.logIndex)
    .map((proof, index) => ({
      proof,
      key: `event-${index}`,
      bridge: bridges.get(proof.chainId) ?? null,
    }))
}

function stepOf({ proof: { type, chainId, header }, key }: PlacedEvent): Step {
  const title = `${formatEventName(type)} on ${formatChainName(chainId)}, block ${Number(header.number)}`
  const checks = eventChecks('header').map(({ words }) => ({ words, state: 'waiting' as const }))
  return { ...waitingStep(key, title), checks }
}

async function checkEvent(
  { proof, bridge }: PlacedEvent,
  intentId: bigint,
): Promise<readonly [null, string]> {
  if (bridge === null) {
    const words = `no bridge is named for ${formatChainName(proof.chainId)}`
    throw new ProofError('LOG_OF_ANOTHER_CONTRACT', words)
  }
  const { event } = await verifyEventProof(proof, bridge)
  if ('intentId' in event.args && event.args.intentId !== intentId) {
    const words = `the log is about intent ${event.args.intentId}`
    throw new ProofError('EVENT_OF_ANOTHER_INTENT', words)
  }
  return [null, '']
}

async function checkHistory(
  intentId: bigint,
  pages: readonly string[],
): Promise<readonly [VerifiedIntent, string]> {
  const verified = await verifyProof(pages)
  if (verified.intentId !== intentId) {
    const words = `this is a proof of intent ${verified.intentId}`
    throw new ProofError('EVENT_OF_ANOTHER_INTENT', words)
  }
  if (!verified.isWhole) throw new ProofError('DOCUMENTS_CONFLICT', 'a page is missing')
  const note = 'No event repeats, each height has one block, time never goes backwards'
  return [verified, note]
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}

function kilobytes(pages: readonly string[]): string {
  const length = pages.reduce((sum, page) => sum + page.length, 0)
  return `${Math.max(1, Math.round(length / 1_000))} kB`
}
