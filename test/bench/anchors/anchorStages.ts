import type { SenderEvent } from '../../../services/chain/transactions/senderContext.ts'
import type { ReactionEvent } from '../../../services/relayer/reconciler/reactionContext.ts'
import { intentOfEffect } from '../../../services/relayer/reconciler/reconcilerEffect.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { findPercentile } from '../freshness/percentile.ts'
import type { AnchorWatch } from './watchAnchors.ts'

/** The stages of an anchor, in order: blocks as the watcher sees them, the rest as the process does. */
const STAGES = ['created', 'indexed', 'requested', 'signed', 'sent', 'anchored', 'noted'] as const
type Stage = (typeof STAGES)[number]

/** Milliseconds on the monotonic clock at which each intent reached each stage. */
type Stages = {
  onChange(event: FeedEvent): void
  onEvent(event: ReactionEvent | SenderEvent): void
  /** A line per step between two stages: overall p50 and p95, and the p50 of each quarter of the intents. */
  table(ids: readonly bigint[]): string
}

export function followAnchorStages({ createdAt, anchoredAt }: AnchorWatch): Stages {
  const own = (): Map<bigint, number> => new Map()
  const times: Record<Stage, Map<bigint, number>> = {
    created: createdAt,
    indexed: own(),
    requested: own(),
    signed: own(),
    sent: own(),
    anchored: anchoredAt,
    noted: own(),
  }
  const note = (stage: Stage, id: bigint | null) => {
    if (id !== null && !times[stage].has(id)) times[stage].set(id, performance.now())
  }
  return {
    onChange(event) {
      if (event.kind === 'change') note('indexed', event.change.intentId)
    },
    onEvent(event) {
      if (event.type === 'reacted' && event.kind === 'anchor' && event.outcome.is === 'under-way') {
        note('requested', event.intentId)
      } else if (event.type === 'signed' || event.type === 'sent') {
        note(event.type, intentOfEffect(event.transaction.effect))
      } else if (event.type === 'mined') note('noted', intentOfEffect(event.transaction.effect))
    },
    table(ids) {
      const steps = STAGES.slice(1).map((stage, at) => [STAGES[at] as Stage, stage] as const)
      return steps
        .map(([from, to]) => {
          const took = ids.map((id) => Number(times[to].get(id)) - Number(times[from].get(id)))
          const quarter = Math.ceil(took.length / 4)
          const parts = [0, 1, 2, 3].map((at) => took.slice(at * quarter, (at + 1) * quarter))
          const all = `p50 ${shown(took, 0.5)}, p95 ${shown(took, 0.95)}`
          return `  ${`${from} to ${to}`.padEnd(22)} ${all}; p50 by quarter ${parts.map((part) => shown(part, 0.5)).join(', ')}`
        })
        .join('\n')
    },
  }
}

function shown(milliseconds: readonly number[], share: number): string {
  const known = milliseconds.filter((one) => !Number.isNaN(one))
  return known.length === 0 ? '-' : `${(findPercentile(known, share) / 1_000).toFixed(2)} s`
}
