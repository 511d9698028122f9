import { notIndexedYet } from '../../rest/readContext.ts'
import type { ExplorerReadContext } from '../explorerReadContext.ts'
import { html, type Markup } from '../html/html.ts'

/** Names the chains that a list lacks; undefined if it has all. */
export function renderNotIndexedNote(
  reads: ExplorerReadContext,
  now: Parameters<typeof notIndexedYet>[1],
): Markup | undefined {
  const { notIndexedYet: missing } = notIndexedYet(reads, now)
  return (
    missing && html`<p class="quiet">Not indexed yet, so missing here: ${missing.join(', ')}.</p>`
  )
}
