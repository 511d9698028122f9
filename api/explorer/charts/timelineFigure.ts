import type { IntentRecord, TimelineRecord } from '../../rest/intents/intentSchema.ts'
import { html, type Markup } from '../html/html.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import { formatStepName } from '../parts/formatEventName.ts'

/** Pixels between two steps; fewer steps are drawn wider, and ten fit on a desk. */
const STEPS = { least: 96, most: 190, within: 1_130 }
const LEFT = 132
/** Heights of the two chains' lines. */
const LANES = { source: 74, dest: 190 }
const HEIGHT = 264

type Step = {
  lane: keyof typeof LANES
  word: string
  at: string | null
  kind: 'done' | 'missed' | 'next'
  tone: string
}

/** Draws an intent's steps from left to right, one line per chain. A dashed line leads to the next step. */
export function renderTimelineFigure(intent: IntentRecord): Markup {
  const steps = [...intent.timeline.map((entry) => stepOf(entry, intent)), ...nextStep(intent)]
  const room = (STEPS.within - LEFT) / steps.length
  const step = Math.round(Math.min(STEPS.most, Math.max(STEPS.least, room)))
  const width = LEFT + steps.length * step + 24
  const x = (index: number) => LEFT + 48 + index * step
  const words = steps.map(
    ({ word, lane, at }) =>
      `${word} on ${formatChainName(lane === 'source' ? intent.sourceChainId : intent.destChainId)}${at === null ? '' : ` at ${at}`}`,
  )
  return html`<div class="scroll timeline" tabindex="0" role="region" aria-label="Timeline, drawn">
<svg viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" role="img" aria-label="${words.join('. ')}">
${(['source', 'dest'] as const).map((lane) => html`<text class="lane-name" x="0" y="${LANES[lane] - 2}">${formatChainName(lane === 'source' ? intent.sourceChainId : intent.destChainId)}</text><text class="lane-role" x="0" y="${LANES[lane] + 15}">${lane === 'source' ? 'source' : 'destination'}</text><line class="lane" x1="${LEFT}" x2="${width - 8}" y1="${LANES[lane]}" y2="${LANES[lane]}"/>`)}
${steps.map((step, index) => index > 0 && link(steps[index - 1] as Step, step, x(index - 1), x(index)))}
${steps.map((step, index) => node(step, x(index)))}
</svg></div>`
}

function link(from: Step, to: Step, x1: number, x2: number): Markup {
  const [y1, y2] = [LANES[from.lane], LANES[to.lane]]
  const middle = (x1 + x2) / 2
  const path =
    y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`
  return html`<path class="way ${to.kind === 'next' && 'next'}" d="${path}"/>`
}

function node({ lane, word, at, kind, tone }: Step, x: number): Markup {
  const y = LANES[lane]
  const above = lane === 'source'
  const [first, second] = above ? [y - 36, y - 20] : [y + 30, y + 46]
  return html`<g class="node ${kind} t-${tone}"><circle cx="${x}" cy="${y}" r="${kind === 'done' ? 7 : 6}"/><text class="word" x="${x}" y="${first}" text-anchor="middle">${word}</text>${at !== null && html`<text class="at" x="${x}" y="${second}" text-anchor="middle">${clock(at)}</text>`}</g>`
}

function stepOf(entry: TimelineRecord, intent: IntentRecord): Step {
  const isMissed = entry.txHash === null
  return {
    lane: entry.chainId === intent.sourceChainId ? 'source' : 'dest',
    word: formatStepName(entry.type, intent.substatus),
    at: entry.at,
    kind: isMissed ? 'missed' : 'done',
    tone: entry.status ?? 'none',
  }
}

/** The step that comes next, and its time if that is known. */
function nextStep(intent: IntentRecord): Step[] {
  const next = (lane: Step['lane'], word: string, at: string | null): Step[] => [
    { lane, word, at, kind: 'next', tone: 'none' },
  ]
  if (intent.refund && intent.refund.status !== 'done')
    return next('source', 'Refund', intent.refund.claimableAt)
  if (intent.status === 'pending') return next('source', 'Auction ends', intent.endTime)
  if (intent.status === 'solving') return next('dest', 'Delivery due', intent.fillDeadline)
  if (intent.status === 'settled') return next('source', 'Settlement', null)
  return []
}

function clock(at: string): string {
  return at.slice(11, 19)
}
