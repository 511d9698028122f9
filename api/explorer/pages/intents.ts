import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import {
  type IntentSortOrder,
  intentCursor,
  intentPlace,
} from '../../../services/store/intents/intentSortOrder.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { filtersOf, intentListQuery } from '../../rest/intents/intentListQuery.ts'
import { chainsToRead, requireReady } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens, tokensOfPairs } from '../loadShownTokens.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { formatChainName } from '../parts/formatChainName.ts'
import { renderIntentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { renderNotIndexedNote } from '../parts/notIndexedNote.ts'
import { changedPath, PATHS } from '../parts/pagePaths.ts'
import { STATUS_WORDS } from '../parts/statusMark.ts'

const SIZE = 25

/** The form's fields. The URL may have any other parameter of `GET /intents` too. */
const FIELDS = [
  'status',
  'sourceChainId',
  'destChainId',
  'tokenA',
  'tokenB',
  'sender',
  'solver',
  'refundStatus',
] as const

/** What the form calls its fields. */
const FIELD_WORDS: Record<string, string> = {
  sourceChainId: 'From',
  destChainId: 'To',
  tokenA: 'Offers',
  tokenB: 'Wants',
  sender: 'Sender',
  solver: 'Solver',
  refundStatus: 'Refund',
}

const REFUND_WORDS = {
  waiting: 'by attestation only',
  due: 'due, by anyone',
  done: 'paid',
} as const

/** `/explorer/intents`: the list, with the filters of `GET /intents` in its URL. */
export async function renderIntentsPage(
  reads: ExplorerReadContext,
  query: URLSearchParams,
): Promise<Page> {
  const filters = new Map(
    [...query]
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  )
  const parsed = intentListQuery.safeParse(Object.fromEntries(filters))
  if (!parsed.success) return refuseFilter(reads, filters, parsed.error.issues)
  const { orderBy: by, direction, cursor, asOfBlock, sourceChainId } = parsed.data
  if (asOfBlock !== undefined) {
    const message = 'only GET /intents shows the past'
    return refuseFilter(reads, filters, [{ path: ['asOfBlock'], message }])
  }
  const now = await chainsToRead(reads)
  if (sourceChainId !== undefined) requireReady(reads, now, sourceChainId)
  const order: IntentSortOrder = { by, direction }
  const found = await listIntents(reads.db, {
    filter: await filtersOf(reads, parsed.data),
    order,
    after: cursor === undefined ? undefined : intentPlace(cursor, order),
    limit: SIZE + 1,
    heads: now.heads,
  })
  const shown = found.slice(0, SIZE)
  const last = found.length > SIZE ? shown.at(-1) : undefined
  const tokenOf = await loadShownTokens(reads, tokensOfPairs(shown.map(({ source }) => source)))
  const at = (next: string | null) => changedPath(PATHS.intents, [...filters], { cursor: next })
  const body = html`<h1>Intents</h1>${filterForm(reads, filters)}
<section id="list" data-region>${renderNotIndexedNote(reads, now)}${shown.length > 0 ? renderIntentTable(shown, now.heads, tokenOf, 'Intents') : renderEmptyState('No intents match these filters.', html`<a class="button" href="${PATHS.intents}">Show all</a>`)}
<nav class="pages" aria-label="Pages">${cursor !== undefined && html`<a class="button" href="${at(null)}">First page</a>`}${last && html`<a class="button" rel="next" href="${at(intentCursor(last.source, order))}">Older intents</a>`}</nav></section>`
  // Only the first page is live: updates would shift later pages under their reader.
  return { title: 'Intents', place: 'intents', body, live: cursor === undefined ? 'all' : null }
}

/** The form as it was sent, with what is wrong in place of the list. */
function refuseFilter(
  reads: ExplorerReadContext,
  filters: ReadonlyMap<string, string>,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
): Page {
  const [name, message] = [String(issues[0]?.path[0] ?? 'filter'), issues[0]?.message ?? 'invalid']
  const what =
    name === 'status'
      ? `There is no status “${filters.get(name)}”.`
      : `${FIELD_WORDS[name] ?? name}: ${message}.`
  const body = html`<h1>Intents</h1>${filterForm(reads, filters)}${renderEmptyState(what, html`<a class="button" href="${PATHS.intents}">Show all</a>`)}`
  return { title: 'Intents', place: 'intents', body, status: 400 }
}

function filterForm(reads: ExplorerReadContext, filters: ReadonlyMap<string, string>): Markup {
  const chains = reads.configured.map(
    ({ chainId, name }) => [String(chainId), name, formatChainName(chainId)] as const,
  )
  const chainOptions = (field: string) =>
    chains.map(
      ([id, name, words]) =>
        html`<option value="${id}" ${[id, name].includes(filters.get(field) ?? '') && html`selected`}>${words}</option>`,
    )
  const isFiltered = FIELDS.some((name) => filters.has(name))
  return html`<form class="filters" action="${PATHS.intents}" aria-label="Filters">
<div class="status-links" role="group" aria-label="Status">${[null, ...STATUSES].map((status) => {
    const others = [...filters].filter(([name]) => name !== 'status')
    const path = changedPath(PATHS.intents, others, { status, cursor: null })
    const isChosen = (filters.get('status') ?? null) === status
    return html`<a href="${path}" ${isChosen && html`aria-current="true"`}>${status === null ? 'All' : STATUS_WORDS[status]}</a>`
  })}</div>
${filters.has('status') && html`<input type="hidden" name="status" value="${filters.get('status')}">`}
<label>From<select name="sourceChainId"><option value="">any chain</option>${chainOptions('sourceChainId')}</select></label>
<label>To<select name="destChainId"><option value="">any chain</option>${chainOptions('destChainId')}</select></label>
${(['tokenA', 'tokenB'] as const).map((name) => html`<label>${name === 'tokenA' ? 'Offers' : 'Wants'}<input name="${name}" value="${filters.get(name) ?? ''}" placeholder="symbol or address" size="14" spellcheck="false" autocomplete="off"></label>`)}
${(['sender', 'solver'] as const).map((name) => html`<label>${name === 'sender' ? 'Sender' : 'Solver'}<input name="${name}" value="${filters.get(name) ?? ''}" placeholder="0x…" size="14" spellcheck="false" autocomplete="off"></label>`)}
<label>Refund<select name="refundStatus"><option value="">any or none</option>${REFUND_STATUSES.map((word) => html`<option value="${word}" ${filters.get('refundStatus') === word && html`selected`}>${REFUND_WORDS[word]}</option>`)}</select></label>
<button class="button strong">Filter</button>${isFiltered && html`<a class="button" href="${PATHS.intents}">Clear</a>`}</form>`
}
