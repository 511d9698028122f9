import { html, type Markup } from '../html/html.ts'
import { PATHS } from './pagePaths.ts'

/** A page without its frame. */
export type Page = {
  title: string
  /** Its menu entry. */
  place?: keyof typeof MENU
  body: Markup
  status?: number
  /** Intents whose changes reload the page: all or one. Null: the page is static. */
  live?: 'all' | bigint | null
  /** Loaded when the reader presses the page's button: see `bundleBrowserScripts/bundleBrowserScript.ts`. */
  script?: 'proof.js' | 'wallet.js'
  /** The search box's text. */
  search?: string
}

const MENU = {
  overview: [PATHS.overview, 'Overview'],
  intents: [PATHS.intents, 'Intents'],
  orders: [PATHS.orders, 'Orders'],
  solvers: [PATHS.solvers, 'Solvers'],
  pairs: [PATHS.pairs, 'Pairs'],
  chains: [PATHS.chains, 'Chains'],
  tokens: [PATHS.tokens, 'Tokens'],
  wallet: [PATHS.wallet, 'Wallet'],
} as const

/** A cairn of three stones. */
const LOGO = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><ellipse cx="16" cy="25.5" rx="12.5" ry="4.7"/><ellipse cx="15" cy="16.2" rx="8.8" ry="3.9"/><ellipse cx="16.8" cy="8.3" rx="5.6" ry="3.2"/></svg>`

/** The whole document. */
export function renderLayout(page: Page, asset: (name: string) => string): string {
  const live = page.live == null ? null : String(page.live)
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Cairn</title>
<meta name="description" content="Confidential cross-chain intents, derived from the chains’ own events.">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('explorer.css')}">
<script src="${asset('theme.js')}"></script>
<script type="module" src="${asset('explorer.js')}"></script>
</head>
<body ${live !== null && html`data-live="${live}"`} ${page.script && html`data-script="${asset(page.script)}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<div class="bar">
<a class="brand" href="${PATHS.overview}">${LOGO}<span>Cairn</span></a>
${searchBox('top-search', page.search ?? '')}
<div class="switches"><span class="live" id="live" hidden role="status"></span><button type="button" class="theme" id="theme" hidden aria-label="Dark or light"><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6" fill="none" stroke-width="1.5"/><path d="M8 2a6 6 0 0 1 0 12z"/></svg></button></div>
</div>
<nav aria-label="Explorer"><ul>${Object.entries(MENU).map(([name, [path, word]]) => html`<li><a href="${path}" ${name === page.place && html`aria-current="page"`}>${word}</a></li>`)}</ul></nav>
</header>
<main id="main" tabindex="-1">
${page.body}
</main>
<footer><div><p>Everything here is derived from the chains’ own events. <a href="/explorer/chains">Check the state hash</a> against your own replay.</p><p class="links"><a href="/docs">REST</a><a href="/graphql">GraphQL</a><a href="/health">Health</a></p></div></footer>
</body>
</html>`}\n`
}

/** The search form. It works without JavaScript. */
function searchBox(id: string, value: string): Markup {
  return html`<form class="search" action="${PATHS.search}" role="search"><label class="sr" for="${id}">Intent or order id, transaction, address, block or symbol</label><svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="7" cy="7" r="4.5"/><path d="M10.5 10.5L14 14"/></svg><input id="${id}" name="q" type="search" value="${value}" placeholder="Intent, transaction, address, block" autocomplete="off" spellcheck="false" maxlength="200"><kbd aria-hidden="true">/</kbd></form>`
}
