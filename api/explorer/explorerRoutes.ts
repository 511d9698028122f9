import type { z } from 'zod'
import type { ApiContext } from '../http/apiEnv.ts'
import { type ApiError, NotFoundError } from '../http/apiError.ts'
import { type Body, conditionalResponse, renderText } from '../http/conditionalResponse.ts'
import { toApiError } from '../http/toApiError.ts'
import { addressInput, chainInput, hashInput, intentIdInput } from '../http/valueSchemas.ts'
import type { ApiRoutes } from '../rest/server.ts'
import { explorerAssets } from './explorerAssets.ts'
import type { ExplorerReads } from './explorerReads.ts'
import { html } from './html/html.ts'
import { EXPLORER_POLICY } from './html/policy.ts'
import { address } from './pages/address.ts'
import { block } from './pages/block.ts'
import { chains } from './pages/chains.ts'
import { intent } from './pages/intent.ts'
import { intents } from './pages/intents.ts'
import { order } from './pages/order.ts'
import { orders } from './pages/orders.ts'
import { overview } from './pages/overview.ts'
import { pair } from './pages/pair.ts'
import { pairs } from './pages/pairs.ts'
import { search } from './pages/search.ts'
import { solver } from './pages/solver.ts'
import { solvers } from './pages/solvers.ts'
import { tokens } from './pages/tokens.ts'
import { transaction } from './pages/transaction.ts'
import { wallet } from './pages/wallet.ts'
import { emptyState } from './parts/intentTable.ts'
import { layout, type Page } from './parts/layout.ts'
import { PATHS } from './parts/pagePaths.ts'

/** How a page is read: from its path's parameters and its query. */
type Reading = (
  reads: ExplorerReads,
  params: Record<string, string>,
  query: URLSearchParams,
) => Promise<Page>

const PAGES: Record<string, Reading> = {
  '/explorer/intents': (reads, _, query) => intents(reads, query),
  '/explorer/intent/:id': (reads, { id }, query) =>
    intent(
      reads,
      given(intentIdInput, id),
      query.has('sourceChainId') ? given(chainInput, query.get('sourceChainId')) : undefined,
    ),
  '/explorer/orders': orders,
  '/explorer/order/:id': (reads, { id = '' }, query) =>
    order(reads, id, {
      chainId: query.has('chainId') ? given(chainInput, query.get('chainId')) : undefined,
      after: query.has('after') ? numberIn(query.get('after') ?? '') : -1,
    }),
  '/explorer/solvers': solvers,
  '/explorer/solver/:address': (reads, params, query) =>
    solver(reads, given(addressInput, params.address), query),
  '/explorer/pairs': pairs,
  '/explorer/pair/:source/:dest/:tokenA/:tokenB': (reads, { source, dest, tokenA, tokenB }) =>
    pair(reads, {
      sourceChainId: given(chainInput, source),
      destChainId: given(chainInput, dest),
      tokenA: given(addressInput, tokenA),
      tokenB: given(addressInput, tokenB),
    }),
  '/explorer/chains': chains,
  '/explorer/tokens': tokens,
  '/explorer/wallet': wallet,
  '/explorer/block/:chain/:number': (reads, { chain, number }) =>
    block(reads, given(chainInput, chain), numberIn(number)),
  '/explorer/transaction/:hash': (reads, { hash }) => transaction(reads, given(hashInput, hash)),
  '/explorer/address/:address': (reads, params) =>
    address(reads, given(addressInput, params.address)),
}

/** Milliseconds for which a page is cached, if nothing has changed meanwhile. */
const FRESH_FOR = 1_000

/** The explorer on the API's server: pages for people, at `/` and under `/explorer`. */
export function explorerRoutes(): ApiRoutes {
  return (app, reads) => {
    const assets = explorerAssets(app)
    reads.files.push(...assets.files)
    const answer = (c: ApiContext, page: Page) =>
      pageResponse(c, layout(page, assets.path), page.status)
    const serve = async (c: ApiContext, route: string, read: Reading) => {
      c.set('route', route)
      const { search: asked, searchParams, pathname } = new URL(c.req.url)
      const question = `explorer ${Math.floor(Date.now() / FRESH_FOR)} ${pathname}${asked}`
      const kept = reads.pages.recall(question)
      if (kept) return pageResponse(c, kept.body)
      const begun = reads.pages.moment()
      const page = await read(reads, c.req.param() as Record<string, string>, searchParams).catch(
        (error: unknown) => failurePage(c, toApiError(error)),
      )
      const text = layout(page, assets.path)
      if (page.status === undefined)
        reads.pages.keep(question, renderText(text), text.length, begun)
      return pageResponse(c, text, page.status)
    }
    app.get('/', (c, next) =>
      c.req.header('accept')?.includes('text/html') ? serve(c, '/', overview) : next(),
    )
    for (const [path, read] of Object.entries(PAGES)) app.get(path, (c) => serve(c, path, read))
    app.get('/explorer', (c) => c.redirect('/', 308))
    app.get(PATHS.search, async (c) => {
      c.set('route', PATHS.search)
      const text = (c.req.query('q') ?? '').slice(0, 200)
      const found = await search(reads, text).catch((error: unknown) => ({
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
  const page = conditionalResponse(
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

/** An error page with links; internal errors are rethrown for the usual handling. */
function failurePage(c: ApiContext, error: ApiError): Page {
  if (error.status >= 500 && error.status !== 503) throw error
  c.set('code', error.code)
  const title =
    error.status === 404 ? 'Not found' : error.status === 503 ? 'Not ready yet' : 'Can’t show this'
  const next = html`<p><a class="button" href="${PATHS.overview}">Go to the overview</a></p>`
  return {
    title,
    status: error.status,
    body: html`<h1>${title}</h1>${emptyState(sentence(error.message), next)}`,
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** A part of a page's address; a page that can't exist is not found. */
function given<Output>(schema: z.ZodType<Output>, text: string | null | undefined): Output {
  const parsed = schema.safeParse(text)
  if (parsed.success) return parsed.data
  throw new NotFoundError(parsed.error.issues[0]?.message ?? 'no such page', 'NOT_FOUND')
}

function numberIn(text: string | undefined): number {
  if (/^\d{1,15}$/.test(text ?? '')) return Number(text)
  throw new NotFoundError('expected a whole number', 'NOT_FOUND')
}
