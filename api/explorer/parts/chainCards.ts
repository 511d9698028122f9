import type { ChainRecord } from '../../rest/operations/chainsRoute.ts'
import { html, type Markup } from '../html/html.ts'
import { renderCopyableText } from './copyableText.ts'
import { renderFactList } from './factList.ts'
import { formatChainName } from './formatChainName.ts'
import { renderAccountLink } from './pageLinks.ts'
import { PATHS } from './pagePaths.ts'
import { shortenHex } from './shortenHex.ts'
import { formatDuration, renderTime } from './timesAndDurations.ts'

const WORDS: Record<ChainRecord['status'], string> = {
  ok: 'Following',
  lagging: 'Lagging',
  stalled: 'No new blocks',
  resuming: 'Catching up',
  backfilling: 'First index',
  rpc_unreachable: 'Nodes unreachable',
  unknown: 'Unknown',
}

/** The state of each chain's index, as cards. @param isShort leaves out what only auditors need */
export function renderChainCards(chains: readonly ChainRecord[], isShort = false): Markup {
  return html`<ul class="chain-cards">${chains.map(
    (chain) =>
      html`<li id="chain-${chain.chainId}"><div class="head"><h3>${formatChainName(chain.chainId)}</h3><span class="health h-${chain.status}">${WORDS[chain.status]}</span></div>${renderFactList(
        [
          [
            'Indexed block',
            chain.indexed !== null &&
              html`<a class="num" href="${PATHS.block(chain.chainId, chain.indexed)}">${chain.indexed.toLocaleString('en')}</a>`,
          ],
          [
            'Head',
            chain.head !== null &&
              html`<span class="num">${headOf(chain, chain.head).toLocaleString('en')}</span>`,
          ],
          [
            'Behind',
            chain.lagSeconds !== null &&
              html`<span class="num">${formatDuration(chain.lagSeconds)}</span>`,
          ],
          [
            'First index',
            chain.progress !== undefined &&
              html`<span class="num">${Math.floor(chain.progress * 100)} %</span>`,
          ],
          [
            'Safe',
            chain.safeBlock !== null &&
              html`<span class="num">${chain.safeBlock.toLocaleString('en')}</span> <span class="quiet">${chain.confirmations} on top</span>`,
          ],
          [
            'Finalized',
            chain.finalizedBlock !== null &&
              html`<span class="num">${chain.finalizedBlock.toLocaleString('en')}</span>`,
          ],
          [
            'State hash',
            chain.stateHash !== null &&
              renderCopyableText(
                chain.stateHash,
                'state hash',
                isShort
                  ? shortenHex(chain.stateHash)
                  : `${chain.stateHash.slice(0, 18)}…${chain.stateHash.slice(-8)}`,
              ),
          ],
          [
            'State hash as of block',
            !isShort &&
              chain.stateHashBlock !== null &&
              html`<span class="num">${chain.stateHashBlock.toLocaleString('en')}</span>`,
          ],
          [
            'Time of the indexed block',
            !isShort && chain.indexedAt !== null && renderTime(chain.indexedAt),
          ],
          ['Bridge', !isShort && renderAccountLink(chain.bridge)],
          ['Chain id', !isShort && html`<span class="num">${chain.chainId}</span>`],
        ],
      )}</li>`,
  )}</ul>`
}

/** The index may have a block that the nodes' latest report lacks. */
function headOf({ status, indexed }: ChainRecord, head: number): number {
  return status === 'ok' ? Math.max(head, indexed ?? head) : head
}
