import { findMessageChain } from '../../../core/order/findOrderMessageProblem.ts'
import type { OperationName } from '../operationSchemas.ts'
import type { Call, Priority } from './callSchema.ts'

/** Calls of a lane that run at once. The enclave computes on one thread, so more would only finish later. */
const AT_ONCE: Record<Priority, number> = { normal: 32, low: 8 }

/**
 * Calls that wait in a lane of one chain; further ones are refused. Otherwise those about a silent chain would use up
 * what a connection may have pending.
 */
const MAX_WAITING = 256

/** Operations that may ask a chain's providers, and so take as long as the providers let them. */
const PROVIDER_OPERATIONS: ReadonlySet<string> = new Set<OperationName>([
  'signAnchor',
  'signAppend',
  'revealToWinner',
  'attestSettlement',
  'attestNotDelivered',
  'registerRecipient',
  'exportStealthKey',
  'handOverRoot',
  'acceptRoots',
  'signFunding',
  'signTranche',
  'signClose',
  'readOrder',
])

/** The lane of calls that only compute. */
const COMPUTING = 'computing'

type WaitingCall = {
  priority: Priority
  /** From `chooseLane`. */
  lane: string
  /** Whether somebody still waits for its answer. */
  isWanted(): boolean
  /** Never rejects. */
  run(): Promise<void>
  /** Called instead of `run` if nobody waits for the call any more when its turn comes, or if its lane is full. */
  drop(): void
}

type Lane = { running: number; waiting: WaitingCall[] }

/** Runs calls in their turn. */
export type CallLanes = { add(call: WaitingCall): void }

/**
 * Names a call's lane: that of its operation and chains if it may ask the chains' providers. A chain that isn't
 * configured has no providers to wait for, so callers can't create lanes by inventing chains.
 */
export function chooseLane(
  { operation, request }: Pick<Call, 'operation' | 'request'>,
  chainIds: ReadonlySet<number>,
): string {
  if (!PROVIDER_OPERATIONS.has(operation)) return COMPUTING
  const { chainId, destChainId } = findChains(request)
  // An operation without a chain, such as a handover, gets a lane of its own, so it holds up no other.
  if (chainId === undefined) return operation
  if (!chainIds.has(chainId as number)) return COMPUTING
  const hasDestination = chainIds.has(destChainId as number)
  return `${operation} ${chainId}${hasDestination ? ` ${destChainId}` : ''}`
}

/** A request's chains, before the request is validated. */
function findChains(request: unknown): { chainId: unknown; destChainId: unknown } {
  const fields = (request ?? {}) as Record<string, unknown>
  const { intent, sourceChainId, contractOn, message, destChainId } = fields
  const { sourceChainId: ofIntent } = (intent ?? {}) as Record<string, unknown>
  // An encrypted order's chain is in its owner's message.
  const ofOrder = typeof message === 'string' ? findMessageChain(message) : undefined
  return { chainId: ofIntent ?? sourceChainId ?? contractOn ?? ofOrder, destChainId }
}

/**
 * First-in, first-out lanes by priority, and by chain for calls that may ask its providers: a crowded or blocked lane
 * takes nothing from the others. A call that nobody waits for any more isn't computed, so an enclave that fell behind
 * catches up at once.
 */
export function createCallLanes(): CallLanes {
  const lanes: Record<Priority, Map<string, Lane>> = { normal: new Map(), low: new Map() }

  function laneOf({ priority, lane: name }: WaitingCall): Lane {
    const known = lanes[priority].get(name)
    if (known !== undefined) return known
    const lane = { running: 0, waiting: [] }
    lanes[priority].set(name, lane)
    return lane
  }

  function startNext(lane: Lane, priority: Priority): void {
    while (lane.running < AT_ONCE[priority]) {
      const call = lane.waiting.shift()
      if (call === undefined) return
      if (!call.isWanted()) {
        call.drop()
        continue
      }
      lane.running++
      // Deferred, so that calls that arrived meanwhile, perhaps in another lane, are read first.
      const leave = () => {
        lane.running--
        startNext(lane, priority)
      }
      void call.run().finally(() => setImmediate(leave))
    }
  }

  return {
    add(call) {
      const lane = laneOf(call)
      if (call.lane !== COMPUTING && lane.waiting.length >= MAX_WAITING) {
        dropUnwanted(lane)
        if (lane.waiting.length >= MAX_WAITING) return call.drop()
      }
      lane.waiting.push(call)
      startNext(lane, call.priority)
    },
  }
}

function dropUnwanted(lane: Lane): void {
  const { true: wanted = [], false: unwanted = [] } = Object.groupBy(lane.waiting, (call) =>
    call.isWanted() ? 'true' : 'false',
  )
  lane.waiting = wanted
  for (const call of unwanted) call.drop()
}
