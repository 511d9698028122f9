import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { html, type Markup } from '../html/html.ts'
import type { BlockExplorerLinks } from './blockExplorerLinks.ts'
import { formatEventName } from './formatEventName.ts'
import { renderChainLink, renderTransactionLink } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { shortenIntentId } from './shortenIntentId.ts'
import { renderTime } from './timesAndDurations.ts'

/** Events as rows, with all their arguments. */
export function renderEventTable(events: readonly EventRow[], links: BlockExplorerLinks): Markup {
  return html`<table class="cards"><caption class="sr">Events</caption><thead><tr><th scope="col">Event</th><th scope="col">Chain</th><th scope="col" class="n">Block</th><th scope="col">Transaction</th><th scope="col">Intent</th><th scope="col" class="n">Time</th></tr></thead><tbody>${events.map(
    (event) => html`<tr>
<th scope="row"><details id="event-${event.chainId}-${event.blockNumber}-${event.logIndex}"><summary>${formatEventName(event.type)}</summary><dl class="args"><div><dt>event</dt><dd class="mono">${event.type}</dd></div>${Object.entries(event.args as Record<string, unknown>).map(([name, value]) => html`<div><dt>${name}</dt><dd class="mono">${argumentText(value)}</dd></div>`)}</dl></details></th>
<td data-name="Chain">${renderChainLink(event.chainId)}</td>
<td data-name="Block" class="n"><a class="num" href="${PATHS.block(event.chainId, event.blockNumber)}">${event.blockNumber}</a></td>
<td data-name="Transaction">${renderTransactionLink(event.transactionHash, links.transaction(event.chainId, event.transactionHash))}</td>
<td data-name="Intent">${event.intentId === null ? '–' : html`<a class="mono" href="${PATHS.intent(event.intentId)}">${shortenIntentId(String(event.intentId))}</a>`}</td>
<td data-name="Time" class="n">${renderTime(event.blockTimestamp)}</td></tr>`,
  )}</tbody></table>`
}

/** Shortens long arguments, such as sealed blobs. */
function argumentText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 120)}… (${text.length} characters)` : text
}
