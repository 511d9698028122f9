import type { Priority } from './callSchema.ts'

/**
 * Calls that run at once. The enclave computes on one thread, so more would only finish later; but a call also waits
 * for chains' providers, and one chain that is silent must not hold up the others.
 */
const AT_ONCE: Record<Priority, number> = { normal: 32, low: 8 }

/** A call that waits for its turn. */
type WaitingCall = {
  priority: Priority
  /** Whether somebody still waits for its answer. */
  isWanted(): boolean
  /** Never rejects. */
  run(): Promise<void>
  /** Called instead of `run` if nobody wanted it any more when its turn came. */
  drop(): void
}

/** Runs calls in their turn. */
export type CallLanes = { add(call: WaitingCall): void }

/**
 * Two lanes, each first in, first out: whatever crowds one, the other keeps its share. A call that nobody waits for any
 * more isn't computed, so that an enclave that fell behind catches up at once.
 */
export function createCallLanes(): CallLanes {
  const lanes = {
    normal: { running: 0, waiting: [] as WaitingCall[] },
    low: { running: 0, waiting: [] as WaitingCall[] },
  }

  function startNext(priority: Priority): void {
    const lane = lanes[priority]
    while (lane.running < AT_ONCE[priority]) {
      const call = lane.waiting.shift()
      if (call === undefined) return
      if (!call.isWanted()) {
        call.drop()
        continue
      }
      lane.running++
      // Not at once: what has arrived meanwhile is read first, and may be in the other lane.
      const leave = () => {
        lane.running--
        startNext(priority)
      }
      void call.run().finally(() => setImmediate(leave))
    }
  }

  return {
    add(call) {
      lanes[call.priority].waiting.push(call)
      startNext(call.priority)
    },
  }
}
