import type { z } from 'zod'
import { type ApiError, NotFoundError } from '../http/apiError.ts'
import { type Body, createConditionalResponse, renderText } from '../http/conditionalResponse.ts'
import type { ApiContext } from '../http/honoEnvironment.ts'
import { toApiError } from '../http/toApiError.ts'
import { addressInput, chainInput, hashInput, intentIdInput } from '../http/valueSchemas.ts'
import type { ApiRoutes } from '../rest/startApi.ts'
import { serveExplorerAssets } from './explorerAssets.ts'
import type { ExplorerReadContext } from './explorerReadContext.ts'
import { html } from './html/html.ts'
import { renderAddressPage } from './pages/address.ts'
import { renderBlockPage } from './pages/block.ts'
import { renderChainsPage } from './pages/chains.ts'
import { renderIntentPage } from './pages/intent.ts'
import { renderIntentsPage } from './pages/intents.ts'
import { renderOrderPage } from './pages/order.ts'
import { renderOrdersPage } from './pages/orders.ts'
import { renderOverviewPage } from './pages/overview.ts'
import { renderPairPage } from './pages/pair.ts'
import { renderPairsPage } from './pages/pairs.ts'
import { findSearchResult } from './pages/search.ts'
import { renderSolverPage } from './pages/solver.ts'
import { renderSolversPage } from './pages/solvers.ts'
import { renderTokensPage } from './pages/tokens.ts'
import { renderTransactionPage } from './pages/transaction.ts'
import { renderWalletPage } from './pages/wallet.ts'
import { renderEmptyState } from './parts/emptyState.ts'
import { type Page, renderLayout } from './parts/layout.ts'
import { PATHS } from './parts/pagePaths.ts'

/**
 * The pages' Content-Security-Policy. They load scripts, styles and data from this server only, submit forms to it
 * only, and have nothing inline. Trusted types keep scripts from parsing text as markup.
 */
export const EXPLORER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Reads a page, given its path's parameters and its query. */
type ReadPage = (
  reads: ExplorerReadContext,
  params: Record<string, string>,
  query: URLSearchParams,
) => Promise<Page>

const PAGES: Record<string, ReadPage> = {
  '/explorer/intents': (reads, _, query) => renderIntentsPage(reads, query),
  '/explorer/intent/:id': (reads, { id }, query) =>
    renderIntentPage(
      reads,
      parsePart(intentIdInput, id),
      query.has('sourceChainId') ? parsePart(chainInput, query.get('sourceChainId')) : undefined,
    ),
  '/explorer/orders': renderOrdersPage,
  '/explorer/order/:id': (reads, { id = '' }, query) =>
    renderOrderPage(reads, id, {
      chainId: query.has('chainId') ? parsePart(chainInput, query.get('chainId')) : undefined,
      after: query.has('after') ? parseNumber(query.get('after') ?? '') : -1,
    }),
  '/explorer/solvers': renderSolversPage,
  '/explorer/solver/:address': (reads, params, query) =>
    renderSolverPage(reads, parsePart(addressInput, params.address), query),
  '/explorer/pairs': renderPairsPage,
  '/explorer/pair/:source/:dest/:tokenA/:tokenB': (reads, { source, dest, tokenA, tokenB }) =>
    renderPairPage(reads, {
      sourceChainId: parsePart(chainInput, source),
      destChainId: parsePart(chainInput, dest),
      tokenA: parsePart(addressInput, tokenA),
      tokenB: parsePart(addressInput, tokenB),
    }),
  '/explorer/chains': renderChainsPage,
  '/explorer/tokens': renderTokensPage,
  '/explorer/wallet': renderWalletPage,
  '/explorer/block/:chain/:number': (reads, { chain, number }) =>
    renderBlockPage(reads, parsePart(chainInput, chain), parseNumber(number)),
  '/explorer/transaction/:hash': (reads, { hash }) =>
    renderTransactionPage(reads, parsePart(hashInput, hash)),
  '/explorer/address/:address': (reads, params) =>
    renderAddressPage(reads, parsePart(addressInput, params.address)),
}

/** Longest time that a cached page is served. A change of the index drops it at once. */
const CACHE_MS = 1_000

/** The explorer's pages, at `/` and under `/explorer`. */
export function createExplorerRoutes(): ApiRoutes {
  return (app, reads) => {
    const assets = serveExplorerAssets(app)
    reads.files.push(...assets.files)
    const answer = (c: ApiContext, page: Page) =>
      pageResponse(c, renderLayout(page, assets.path), page.status)
    const serve = async (c: ApiContext, route: string, read: ReadPage) => {
      c.set('route', route)
      const url = new URL(c.req.url)
      const key = `explorer ${Math.floor(Date.now() / CACHE_MS)} ${url.pathname}${url.search}`
      const cached = reads.pages.get(key)
      if (cached) return pageResponse(c, cached.body)
      const begun = reads.pages.revision()
      const params = c.req.param() as Record<string, string>
      // A path's part may be refused before there is a promise.
      const readPage = async () => read(reads, params, url.searchParams)
      const page = await readPage().catch((error: unknown) => failurePage(c, toApiError(error)))
      const text = renderLayout(page, assets.path)
      if (page.status === undefined) reads.pages.set(key, renderText(text), text.length, begun)
      return pageResponse(c, text, page.status)
    }
    app.get('/', (c, next) =>
      c.req.header('accept')?.includes('text/html') ? serve(c, '/', renderOverviewPage) : next(),
    )
    for (const [path, read] of Object.entries(PAGES)) app.get(path, (c) => serve(c, path, read))
    app.get('/explorer', (c) => c.redirect('/', 308))
    app.get(PATHS.search, async (c) => {
      c.set('route', PATHS.search)
      const text = (c.req.query('q') ?? '').slice(0, 200)
      const found = await findSearchResult(reads, text).catch((error: unknown) => ({
        page: failurePage(c, toApiError(error)),
      }))
      return 'path' in found ? c.redirect(found.path, 303) : answer(c, found.page)
    })
    app.get('/explorer/*', (c) => {
      c.set('route', '/explorer/*')
      return answer(c, failurePage(c, new NotFoundError('no such page', 'NOT_FOUND')))
    })
    return undefined
  }
}

function pageResponse(c: ApiContext, text: Body, status = 200): Response {
  const page = createConditionalResponse(
    renderText(text),
    status === 200 ? c.req.header('if-none-match') : undefined,
  )
  const headers = new Headers(page.headers)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.set('content-security-policy', EXPLORER_POLICY)
  headers.set('vary', 'accept, accept-encoding')
  if (status !== 200) headers.set('cache-control', 'no-store')
  return new Response(page.body, { status: status === 200 ? page.status : status, headers })
}

/** An error page. Rethrows internal errors for the app's own handler. */
function failurePage(c: ApiContext, error: ApiError): Page {
  if (error.status >= 500 && error.status !== 503) throw error
  c.set('code', error.code)
  const title = titleOf(error)
  // An unavailable page may be back soon, and the overview may be unavailable as well.
  const { pathname, search } = new URL(c.req.url)
  const [path, words] =
    error.status === 503
      ? [`${pathname}${search}`, 'Try again']
      : [PATHS.overview, 'Go to the overview']
  const next = html`<p><a class="button" href="${path}">${words}</a></p>`
  return {
    title,
    status: error.status,
    body: html`<h1>${title}</h1>${renderEmptyState(sentence(error.message), next)}`,
  }
}

function titleOf({ status, code }: ApiError): string {
  if (code === 'INDEX_NOT_READY') return 'Not ready yet'
  if (status === 503) return 'Not available right now'
  return status === 404 ? 'Not found' : 'Can’t show this'
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Parses a part of a page's URL. An invalid one is a page that doesn't exist: 404. */
function parsePart<Output>(schema: z.ZodType<Output>, text: string | null | undefined): Output {
  const parsed = schema.safeParse(text)
  if (parsed.success) return parsed.data
  throw new NotFoundError(parsed.error.issues[0]?.message ?? 'no such page', 'NOT_FOUND')
}

function parseNumber(text: string | undefined): number {
  if (/^\d{1,15}$/.test(text ?? '')) return Number(text)
  throw new NotFoundError('expected a whole number', 'NOT_FOUND')
}
