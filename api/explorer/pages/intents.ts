import { REFUND_STATUSES } from '../../../core/intent/refundSql.ts'
import { STATUSES } from '../../../core/intent/status.ts'
import {
  type IntentOrder,
  intentCursor,
  intentPlace,
} from '../../../services/store/intents/intentOrder.ts'
import { listIntents } from '../../../services/store/intents/listIntents.ts'
import { BadRequestError } from '../../http/apiError.ts'
import { filtersOf, pageQuery } from '../../rest/intents/intentListQuery.ts'
import { chainsToRead } from '../../rest/readContext.ts'
import { type ExplorerReads, loadTokensShown, tokensOfPairs } from '../explorerReads.ts'
import { html, type Markup } from '../html/html.ts'
import { chainText } from '../parts/chainText.ts'
import { emptyState, intentTable } from '../parts/intentTable.ts'
import type { Page } from '../parts/layout.ts'
import { changedPath, PATHS } from '../parts/pagePaths.ts'
import { WORDS } from '../parts/statusMark.ts'

const SIZE = 25

/** The form's fields; the address may also have any other parameter of `GET /intents`. */
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

/** Refunds as people read them. */
const REFUND_WORDS = {
  waiting: 'by attestation only',
  due: 'can be taken by anyone',
  done: 'paid',
} as const

/** `/explorer/intents`: the list, with the filters of `GET /intents` in its address. */
export async function intents(reads: ExplorerReads, query: URLSearchParams): Promise<Page> {
  const asked = new Map(
    [...query]
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  )
  const parsed = pageQuery.safeParse(Object.fromEntries(asked))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new BadRequestError(
      `${issue?.path.join('.') ?? 'filter'}: ${issue?.message ?? 'invalid'}`,
    )
  }
  const given = parsed.data
  const now = await chainsToRead(reads)
  const order: IntentOrder = { by: given.orderBy, direction: given.direction }
  const found = await listIntents(reads.db, {
    filter: await filtersOf(reads, given),
    order,
    after: given.cursor === undefined ? undefined : intentPlace(given.cursor, order),
    limit: SIZE + 1,
    heads: now.heads,
  })
  const shown = found.slice(0, SIZE)
  const last = found.length > SIZE ? shown.at(-1) : undefined
  const tokenOf = await loadTokensShown(reads, tokensOfPairs(shown.map(({ source }) => source)))
  const at = (cursor: string | null) => changedPath(PATHS.intents, [...asked], { cursor })
  const body = html`<h1>Intents</h1>${filterForm(reads, asked)}
<section id="list" data-region>${shown.length > 0 ? intentTable(shown, now.heads, tokenOf, 'Intents') : emptyState('No intent matches these filters.', html`<a class="button" href="${PATHS.intents}">Show all</a>`)}
<nav class="pages" aria-label="Pages">${asked.has('cursor') && html`<a class="button" href="${at(null)}">First page</a>`}${last && html`<a class="button" rel="next" href="${at(intentCursor(last.source, order))}">Older intents</a>`}</nav></section>`
  // Later pages stay as they are while somebody reads them.
  return { title: 'Intents', place: 'intents', body, live: asked.has('cursor') ? null : 'all' }
}

function filterForm(reads: ExplorerReads, asked: ReadonlyMap<string, string>): Markup {
  const chains = reads.configured.map(
    ({ chainId, name }) => [String(chainId), name, chainText(chainId)] as const,
  )
  const chainOptions = (field: string) =>
    chains.map(
      ([id, name, words]) =>
        html`<option value="${id}" ${[id, name].includes(asked.get(field) ?? '') && html`selected`}>${words}</option>`,
    )
  const isFiltered = FIELDS.some((name) => asked.has(name))
  return html`<form class="filters" action="${PATHS.intents}" aria-label="Filters">
<div class="status-links" role="group" aria-label="Status">${[null, ...STATUSES].map((status) => {
    const others = [...asked].filter(([name]) => name !== 'status')
    const path = changedPath(PATHS.intents, others, { status, cursor: null })
    const isChosen = (asked.get('status') ?? null) === status
    return html`<a href="${path}" ${isChosen && html`aria-current="true"`}>${status === null ? 'All' : WORDS[status]}</a>`
  })}</div>
${asked.has('status') && html`<input type="hidden" name="status" value="${asked.get('status')}">`}
<label>From<select name="sourceChainId"><option value="">any chain</option>${chainOptions('sourceChainId')}</select></label>
<label>To<select name="destChainId"><option value="">any chain</option>${chainOptions('destChainId')}</select></label>
${(['tokenA', 'tokenB'] as const).map((name) => html`<label>${name === 'tokenA' ? 'Offers' : 'Wants'}<input name="${name}" value="${asked.get(name) ?? ''}" placeholder="symbol or address" size="14" spellcheck="false" autocomplete="off"></label>`)}
${(['sender', 'solver'] as const).map((name) => html`<label>${name === 'sender' ? 'Sender' : 'Solver'}<input name="${name}" value="${asked.get(name) ?? ''}" placeholder="0x…" size="14" spellcheck="false" autocomplete="off"></label>`)}
<label>Refund<select name="refundStatus"><option value="">any or none</option>${REFUND_STATUSES.map((word) => html`<option value="${word}" ${asked.get('refundStatus') === word && html`selected`}>${REFUND_WORDS[word]}</option>`)}</select></label>
<button class="button strong">Filter</button>${isFiltered && html`<a class="button" href="${PATHS.intents}">Clear</a>`}</form>`
}
