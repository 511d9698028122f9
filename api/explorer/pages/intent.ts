import { findChainName } from '../../../core/chain/chainNames.ts'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { loadBids } from '../../../services/store/intents/loadBids.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { BidRow } from '../../../src/projection/rowTypes.ts'
import type { Token } from '../../http/tokens/tokenLookup.ts'
import type { IntentRecord } from '../../rest/intents/intentSchema.ts'
import { renderIntent } from '../../rest/intents/renderIntent.ts'
import { bridgeOf, chainsToRead } from '../../rest/readContext.ts'
import { requireIntent } from '../../rest/requireIntent.ts'
import { renderTimelineFigure } from '../charts/timelineFigure.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'
import { loadShownTokens, type ShownToken, tokensOfPairs } from '../loadShownTokens.ts'
import { renderAmount } from '../parts/amount.ts'
import { type BlockExplorerLinks, createBlockExplorerLinks } from '../parts/blockExplorerLinks.ts'
import { renderCopyableText } from '../parts/copyableText.ts'
import { describeFundsLocation } from '../parts/describeFundsLocation.ts'
import { renderEmptyState } from '../parts/emptyState.ts'
import { renderFactList } from '../parts/factList.ts'
import { formatStepName } from '../parts/formatEventName.ts'
import { formatPriceNote, formatUsdBeside } from '../parts/formatUsd.ts'
import type { Page } from '../parts/layout.ts'
import {
  renderAccountLink,
  renderChainLink,
  renderOutsideLink,
  renderTransactionLink,
} from '../parts/pageLinks.ts'
import { PATHS } from '../parts/pagePaths.ts'
import { shortenHex } from '../parts/shortenHex.ts'
import { shortenIntentId } from '../parts/shortenIntentId.ts'
import { renderFinalityMark, renderStatusMark } from '../parts/statusMark.ts'
import { renderExactTime, renderTime } from '../parts/timesAndDurations.ts'

const MOST_BIDS = 50

const REASONS: Record<string, string> = {
  awaiting_anchor: 'awaiting its anchor',
  awaiting_bids: 'awaiting bids',
  auction_running: 'auction running',
  awaiting_best_bidder: 'awaiting the best bidder',
  awaiting_any_solver: 'awaiting any solver',
  awaiting_delivery: 'awaiting delivery',
  awaiting_recipients: 'winner asked for the recipients',
  awaiting_settlement: 'awaiting settlement',
  solver_paid: 'solver paid',
  cancelled_by_sender: 'by its sender',
  no_bids: 'nobody bid',
  no_deposit: 'nobody deposited',
  not_delivered: 'not delivered',
  delivery_invalid: 'delivery not valid',
  delivered_unsettled: 'delivered, not settled in time',
  recipients_withheld: 'winner didn’t get the recipients',
}

/** `/explorer/intent/<id>`: one intent, from its creation to where its money is. */
export async function renderIntentPage(
  reads: ExplorerReadContext,
  intentId: bigint,
  sourceChainId?: number,
): Promise<Page> {
  const now = await chainsToRead(reads)
  const stored = await requireIntent(reads, now, { intentId, sourceChainId })
  const { source } = stored
  const record = renderIntent(stored, now.heads, bridgeOf(now, stored))
  const [bids, tokenOf] = await Promise.all([
    loadBids(reads.db, [source], { after: source.bidCount - MOST_BIDS, limit: MOST_BIDS }),
    loadShownTokens(reads, tokensOfPairs([source])),
  ])
  const tokenA = tokenOf(source.sourceChainId, source.tokenA)
  const tokenB = tokenOf(source.destChainId, source.tokenB)
  const links = createBlockExplorerLinks(reads.configured)
  const { label, amountB } = outcomeOf(record)
  const body = html`<section id="intent" data-region>
<div class="title"><h1>Intent <span class="num">${shortenIntentId(record.intentId)}</span></h1>${renderStatusMark(record.status, REASONS[record.substatus] ?? record.substatus)}${renderFinalityMark(record.finality)}</div>
<p class="id">${renderCopyableText(record.intentId, 'intent id')}</p>
<div class="swap"><div><p class="name">Offers on ${renderChainLink(record.sourceChainId)}</p><p class="big">${renderAmount(record.amountA, tokenA)}</p><p class="quiet">${formatUsdBeside(record.amountA, tokenA)} and ${renderAmount(record.reward, tokenA)}${formatUsdBeside(record.reward, tokenA)} for the solver</p></div><div class="arrow" aria-hidden="true">→</div><div><p class="name">${label} on ${renderChainLink(record.destChainId)}</p><p class="big">${renderAmount(amountB, tokenB)}</p><p class="quiet">${formatUsdBeside(amountB, tokenB)} minimum ${renderAmount(record.expectedAmountB, tokenB)}${formatUsdBeside(record.expectedAmountB, tokenB)}</p></div></div>${formatPriceNote([tokenA, tokenB])}
<div class="funds"><h2>Where the money is now</h2><p>${describeFundsLocation(record, tokenA, tokenB)}</p></div>
<h2>Timeline</h2>${renderTimelineFigure(record)}
<div class="columns"><div><h2>Step by step</h2>${steps(record, links)}</div>
<div><h2>Bids</h2>${bidTable(bids, source, tokenB)}<h2>Facts</h2>${intentFacts(record, source, tokenA, links)}</div></div></section>
${proofSection(record)}`
  const title = `Intent ${shortenIntentId(record.intentId)}`
  return { title, place: 'intents', body, live: intentId, script: 'proof.js' }
}

/** The amount on the destination chain that describes the intent best, and what it is. */
function outcomeOf({ status, winningAmountB, bids, expectedAmountB }: IntentRecord) {
  if (winningAmountB !== null) {
    return { label: status === 'failed' ? 'Winner owed' : 'Gets', amountB: winningAmountB }
  }
  if (bids.best) return { label: 'Best bid', amountB: bids.best.amountB }
  return { label: 'Wants', amountB: expectedAmountB }
}

/** Filled by the script, outside the live region so that an update doesn't remove the result. */
function proofSection({ intentId, sourceChainId, destChainId }: IntentRecord): Markup {
  // Placeholders: a node and an address that this server named would prove nothing.
  const trusted = [sourceChainId, destChainId].map((chainId) => {
    const name = findChainName(Number(chainId)) ?? chainId
    return ` --rpc ${name}=<your node> --bridge ${name}=<its bridge>`
  })
  const command = `npx cairn-verify proof.json${trusted.join('')}`
  return html`<section id="proof" class="proof" data-intent="${intentId}"><h2>Check it yourself</h2><p class="lead">Every event of this intent can be proven from its block’s header. Your browser does that with Cairn’s verifier and trusts nothing on this page.</p><div class="run"><button type="button" class="button strong" data-run hidden>Verify in this browser</button></div><p class="quiet">Or save <a href="/intents/${intentId}/proof">the proof</a> and check it on your own machine: ${renderCopyableText(command, 'command')}</p></section>`
}

function steps({ timeline, substatus }: IntentRecord, links: BlockExplorerLinks): Markup {
  return html`<ol class="steps">${timeline.map((entry) => html`<li class="${entry.txHash === null && 'missed'}"><div><span class="step-word">${formatStepName(entry.type, substatus)}</span>${entry.status && renderStatusMark(entry.status)}</div><div class="quiet">${renderExactTime(entry.at)} on ${renderChainLink(entry.chainId)}${entry.blockNumber !== null && html` in block <a class="num" href="${PATHS.block(entry.chainId, entry.blockNumber)}">${entry.blockNumber}</a>`}</div>${entry.txHash === null ? html`<div class="quiet">A deadline that passed: no transaction</div>` : renderTransactionLink(entry.txHash, links.transaction(entry.chainId, entry.txHash))}</li>`)}</ol>`
}

function bidTable(
  bids: readonly BidRow[],
  { bidCount: count, bestBid, bestBidder }: SourceFacts,
  tokenB: Token,
): Markup {
  if (bids.length === 0) return renderEmptyState('No bids yet.')
  const best = bids.find(({ solver, amountB }) => solver === bestBidder && amountB === bestBid)
  return html`<table><caption class="sr">Bids, the latest first</caption><thead><tr><th scope="col" class="n">#</th><th scope="col">Solver</th><th scope="col" class="n">Delivers</th><th scope="col" class="n">Time</th></tr></thead><tbody>${bids.toReversed().map((bid) => html`<tr data-key="bid-${bid.bidIndex}" class="${bid === best && 'best'}"><td class="n num">${bid.bidIndex}</td><th scope="row">${renderAccountLink(bid.solver, PATHS.solver)}${bid === best && html` <span class="tag">best</span>`}</th><td class="n">${renderAmount(bid.amountB, tokenB)}</td><td class="n">${renderTime(bid.bidAt)}</td></tr>`)}</tbody></table>${count > bids.length && html`<p class="quiet">The latest ${bids.length} of ${count}.</p>`}`
}

function intentFacts(
  record: IntentRecord,
  source: SourceFacts,
  tokenA: ShownToken,
  links: BlockExplorerLinks,
): Markup {
  const inA = (value: string | null) =>
    value !== null && html`${renderAmount(value, tokenA)}${formatUsdBeside(value, tokenA)}`
  const { refund, lock } = record
  return renderFactList([
    [
      'Sender',
      html`${renderAccountLink(record.sender)} ${renderOutsideLink(links.address(record.sourceChainId, record.sender))}`,
    ],
    [
      'Tranche of',
      source.orderId !== null &&
        html`<a class="mono" href="${PATHS.order(source.orderId, source.sourceChainId)}">${shortenHex(toApiOrderId(source.orderId))}</a>, number <span class="num">${Number(source.trancheIndex) + 1}</span>`,
    ],
    ['Created', renderExactTime(record.timestamp)],
    ['Recipients final', renderExactTime(record.firmAt)],
    ['Auction ends', renderExactTime(record.endTime)],
    ['Delivery due', record.fillDeadline !== null && renderExactTime(record.fillDeadline)],
    [
      'Fee',
      record.fee === null
        ? record.feeBps !== null && html`<span class="num">${record.feeBps / 100} %</span>`
        : inA(record.fee),
    ],
    ['Paid to the solver', inA(record.payout)],
    ['Solver’s stake behind it', lock !== null && inA(lock.amount)],
    [
      'Refund',
      refund !== null &&
        html`${inA(refund.amount)} ${refund.status === 'done' ? 'paid back' : refund.status === 'due' ? 'due now' : 'not due yet'}`,
    ],
    ['Anyone can refund from', refund?.claimableAt && renderExactTime(refund.claimableAt)],
    [
      'Refund transaction',
      refund?.txHash &&
        renderTransactionLink(
          refund.txHash,
          links.transaction(record.sourceChainId, refund.txHash),
        ),
    ],
    [
      'Recipients, at most',
      record.recipientClass !== null && html`<span class="num">${record.recipientClass}</span>`,
    ],
    ['Signatures needed', html`<span class="num">${record.quorum}</span>`],
    [
      'Terms’ hash',
      renderCopyableText(record.paramsHash, 'terms’ hash', `${record.paramsHash.slice(0, 14)}…`),
    ],
    ['Record', html`<a href="/intent-details/${record.intentId}">as JSON</a>`],
  ])
}
