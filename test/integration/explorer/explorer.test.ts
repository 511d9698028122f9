import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toUsd } from '../../../core/money/usdValue.ts'
import { until } from '../../rig/until.ts'
import { BASE, HORIZEN } from '../rest/seededApi.ts'
import { findAccessibilityProblems, followLink, openPage, startBrowser } from './browser.ts'
import { describeEveryPage } from './describeEveryPage.ts'
import { describeExplorerWallet } from './describeExplorerWallet.ts'
import { describeMaliciousToken } from './describeMaliciousToken.ts'
import { listExplorerPages } from './explorerPagePaths.ts'
import { type ExplorerRig, HOSTILE_TOKEN, startExplorerRig } from './explorerRig.ts'
import { DESKTOP, type ExplorerSession, PHONE } from './explorerSession.ts'

const HTML = { accept: 'text/html' }

let rig: ExplorerRig
let browser: Browser
let { paths, intents, order } = {} as Awaited<ReturnType<typeof listExplorerPages>>

const opened = (): ExplorerSession => ({ rig, browser, paths, intents, order })

beforeAll(async () => {
  ;[rig, browser] = await Promise.all([startExplorerRig(600), startBrowser()])
  await askForHostileToken()
  ;({ paths, intents, order } = await listExplorerPages(rig))
})

afterAll(async () => {
  await browser?.close()
  await rig?.stop()
})

/** An intent of the other chain that wants the hostile token, once that has been asked what it is called. */
async function askForHostileToken(): Promise<void> {
  const client = await rig.postgres.connect()
  await client.query(`update cairn_${HORIZEN}_seeded.intent set token_b = '${HOSTILE_TOKEN}' where intent_id =
    (select intent_id from cairn_${HORIZEN}_seeded.intent where phase = 'completed' order by created_at desc limit 1)`)
  // A page that shows an unknown token asks for it, and a later one knows it.
  const isKnown = async () => {
    await rig.get('/explorer/intents', { accept: 'text/html' })
    const { rows } = await client.query(
      `select count(*)::int as n from app.token where decimals is not null`,
    )
    return rows[0].n >= 2
  }
  await until(async () => (await rig.get('/tokens')) && isKnown())
  await client.end()
}

describe('every page', () => describeEveryPage(opened))

describe('search', () => {
  test('leads from an id, hash, address, block or symbol to its page', async () => {
    const { completed } = intents
    const leads = async (words: string) => {
      const answer = await fetch(`${rig.url}/explorer/search?q=${encodeURIComponent(words)}`, {
        redirect: 'manual',
      })
      return [answer.status, answer.headers.get('location')]
    }
    const intent = `/explorer/intent/${completed.id}`
    expect(await leads(completed.id)).toEqual([303, intent])
    expect(await leads(` 0x${BigInt(completed.id).toString(16)} `)).toEqual([303, intent])
    expect(await leads(completed.createTx)).toEqual([303, paths.transaction])
    const ofOrder = `/explorer/order/${order.vaultOrderId}?chainId=${order.sourceChainId}`
    expect(await leads(order.id)).toEqual([303, ofOrder])
    expect(await leads(order.vaultOrderId.toUpperCase().replace('0X', '0x'))).toEqual([
      303,
      ofOrder,
    ])
    expect(await leads(completed.sender)).toEqual([303, paths.address])
    expect(await leads(completed.solver)).toEqual([303, paths.solver])
    expect(await leads('usdc')).toEqual([303, '/explorer/intents?tokenA=usdc'])
    // Both chains have such a block.
    const which = await rig.get(`/explorer/search?q=${completed.block}`)
    expect(which.text).toContain(`href="/explorer/block/${BASE}/${completed.block}"`)
    expect(which.text).toContain(`href="/explorer/block/${HORIZEN}/${completed.block}"`)
    // A token's own name isn't trusted.
    expect((await leads('"><img'))[0]).toBe(404)
  })

  test('shows a search without results as text', async () => {
    const { page, problems, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
    await page.goto('/')
    await page.keyboard.press('/')
    await page.keyboard.type(`<img src=x onerror="document.title='owned'">`)
    await page.keyboard.press('Enter')
    await page.waitForURL(/search/)
    expect(await page.locator('main').textContent()).toContain('<img src=x')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Search · Cairn')
    expect(problems.filter((text) => !text.includes('404'))).toEqual([])
    await close()
  })
})

test('filters and pages are in the address', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  await page.goto('/explorer/intents')
  await page.getByRole('link', { name: 'Completed', exact: true }).click()
  await page.selectOption('select[name=sourceChainId]', String(BASE))
  await page.fill('input[name=tokenA]', 'usdc')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/tokenA=usdc/)
  expect(new URL(page.url()).searchParams.get('status')).toBe('completed')
  const { body } = await rig.get(
    `/intents?status=completed&sourceChainId=${BASE}&tokenA=USDC&limit=200&total=true`,
  )
  expect(body.total).toBeGreaterThan(25)
  const seen: string[] = []
  for (;;) {
    const links = page.locator('#list tbody th a')
    seen.push(
      ...(await links.evaluateAll((all) =>
        all.map((link) => (link as { href?: string }).href?.split('/').at(-1) ?? ''),
      )),
    )
    const older = page.getByRole('link', { name: 'Older intents' })
    if ((await older.count()) === 0) break
    await followLink(page, older)
  }
  expect(seen).toEqual(body.intents.map(({ intentId }: { intentId: string }) => intentId))
  expect((await rig.get('/explorer/intents?minAmountA=x')).status).toBe(400)
  await close()
})

test('a malformed address is a page too, and a malformed filter stays in its form', async () => {
  for (const part of ['intent/abc', 'transaction/0x12', 'block/nowhere/1']) {
    const path = `/explorer/${part}`
    const { status, headers, text } = await rig.get(path, HTML)
    expect([path, status]).toEqual([path, 404])
    expect(headers.get('content-type')).toContain('text/html')
    expect(text).toMatch(/<h1>Not found<\/h1>[\s\S]*Expected an? /)
  }
  const filters = [
    ['/explorer/intents?tokenA=USDC&sender=hello', 'Sender: expected an address', 'value="hello"'],
    ['/explorer/intents?status=done', 'There is no status “done”.', 'name="tokenA"'],
    ['/explorer/intents?asOfBlock=base_sepolia:1', 'asOfBlock: only GET /intents', 'name="tokenA"'],
    ['/explorer/orders?owner=hello', 'Owner: expected an address', 'value="hello"'],
  ] as const
  for (const [path, what, field] of filters) {
    const { status, text } = await rig.get(path, HTML)
    expect([path, status, text.includes(what), text.includes(field)]).toEqual([
      path,
      400,
      true,
      true,
    ])
  }
})

test('the chains’ commands replay to the block whose hash is shown, also after an update', async () => {
  const { text } = await rig.get('/explorer/chains', HTML)
  const regions = text.split('<section').filter((part) => / data-region>/.test(part))
  const inRegions = regions.map((part) => part.split('</section>')[0]).join()
  const commandsIn = (part: string) => part.match(/data-copy="npm run replay -- --as-of/g)?.length
  expect([commandsIn(text), commandsIn(inRegions)]).toEqual([2, 2])
})

test('a solver’s page pages through its bids and deliveries', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  const ask = async (query: string) => (await rig.post('/graphql', { query })).body.data
  const most = 'first: 1, orderBy: { field: bids, direction: desc }'
  const solver = (await ask(`{ solvers(${most}) { nodes { address } } }`)).solvers.nodes[0].address
  const acts = await ask(
    `{ bids(solver: "${solver}", first: 100) { nodes { sourceChainId intentId bidIndex } }
      deliveries(solver: "${solver}", first: 100) { nodes { destChainId chain2IntentId } } }`,
  )
  const keys = acts.bids.nodes.map((one: Record<string, string>) =>
    [one.sourceChainId, one.intentId, one.bidIndex].join(':'),
  )
  const delivered = acts.deliveries.nodes.map((one: Record<string, string>) =>
    [one.destChainId, one.chain2IntentId].join(':'),
  )
  expect([keys.length > 10, delivered.length > 0]).toEqual([true, true])
  const path = `/explorer/solver/${solver}`
  await page.goto(path)
  const shown = (list: string) =>
    page
      .locator(`#${list} ~ table`)
      .first()
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')))
  expect(await shown('bids')).toEqual(keys.slice(0, 10))
  expect(await shown('deliveries')).toEqual(delivered.slice(0, 10))
  await page.getByRole('link', { name: 'Older bids' }).click()
  await page.waitForURL(/bids=/)
  expect(await shown('bids')).toEqual(keys.slice(10, 20))
  expect(await shown('deliveries')).toEqual(delivered.slice(0, 10))
  await page.getByRole('link', { name: 'Latest bids' }).click()
  await page.waitForURL((url) => !url.searchParams.has('bids'))
  expect(await shown('bids')).toEqual(keys.slice(0, 10))
  expect((await rig.get(`${path}?bids=forged`, HTML)).status).toBe(400)
  await close()
})

test.each([
  ['on a desk', DESKTOP, 'wide'],
  ['on a phone', PHONE, 'narrow'],
] as const)('%s, the words of charts are as large as others, and each is drawn once', async (_, screen, size) => {
  const { page, close } = await openPage(browser, { ...screen, baseURL: rig.url })
  await page.goto(paths.pair as string)
  const charts = page.locator('.chart > svg:visible')
  expect(await charts.evaluateAll((all) => all.map((svg) => svg.getAttribute('class')))).toEqual([
    size,
    size,
  ])
  const pixels = await page.locator('.chart > svg:visible .axis').evaluateAll((words) =>
    words.map((word) => {
      const { a: scale } = (word as unknown as SVGTextElement).getScreenCTM() as DOMMatrix
      return scale * Number.parseFloat(getComputedStyle(word).fontSize)
    }),
  )
  expect(pixels.length).toBeGreaterThan(10)
  for (const height of pixels) expect(height).toBeGreaterThan(11)
  await close()
})

test.each([
  ['completed', 'Verify in this browser'],
  ['wallet', 'Connect a wallet'],
])('on the page “%s”, a script that can’t be loaded is said, and the button stays', async (name, words) => {
  const { page, close } = await openPage(browser, { ...PHONE, baseURL: rig.url })
  await page.goto(paths[name] as string)
  await page.route('**/*.js', (route) => route.abort())
  const button = page.getByRole('button', { name: words })
  for (let click = 0; click < 2; click++) {
    await button.click()
    await page.getByText('This couldn’t be loaded.').waitFor()
    expect(await button.isEnabled()).toBe(true)
  }
  expect(await page.getByText('This couldn’t be loaded.').count()).toBe(1)
  expect(await findAccessibilityProblems(page)).toEqual([])
  await close()
})

test('a click opens GraphiQL’s other examples', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  await page.goto('/graphql')
  const active = page.locator('.graphiql-tab-active')
  await active.filter({ hasText: 'Intents' }).waitFor()
  for (const name of ['Solvers', 'Statistics', 'OneInFull', 'Index']) {
    await page.locator('.graphiql-tab-button', { hasText: name }).click()
    await active.filter({ hasText: name }).waitFor({ timeout: 10_000 })
  }
  await close()
})

test('an intent that failed, and its tranche, promise no delivery', async () => {
  const { text } = await rig.get(paths.failed as string, HTML)
  expect(text).toContain('Winner owed on')
  expect(text).not.toContain('Gets on')
})

test('of many bids, the latest are shown, and the best is the auction’s', async () => {
  const { id, chain } = intents.expired
  const schema = `cairn_${chain}_seeded`
  const client = await rig.postgres.connect()
  const bid = `to_jsonb(one) || jsonb_build_object('intent_id', ${id}, 'bid_index', n, 'amount_b', amount_b + n)`
  await client.query(`insert into ${schema}.bid
    select (jsonb_populate_record(null::${schema}.bid, ${bid})).*
    from (select * from ${schema}.bid limit 1) as one, generate_series(101, 160) as n`)
  await client.query(`update ${schema}.intent set bid_count = 160, (best_bid, best_bidder) =
    (select amount_b, solver from ${schema}.bid where intent_id = ${id} and bid_index = 160)
    where intent_id = ${id}`)
  await client.end()
  const { text } = await rig.get(paths.expired as string, HTML)
  const shown = text.match(/data-key="bid-\d+"/g)
  expect(shown).toEqual(Array.from({ length: 50 }, (_, at) => `data-key="bid-${160 - at}"`))
  expect(text).toContain('The latest 50 of 160.')
  expect(text).toMatch(/<tr data-key="bid-160" class="best">/)
})

test('refunds that anyone can take now are a filter', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  await page.goto('/explorer/intents')
  await page.selectOption('select[name=refundStatus]', 'due')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/refundStatus=due/)
  const { body } = await rig.get('/intents?refundStatus=due&limit=25')
  const titles = await page
    .locator('#list tbody th a')
    .evaluateAll((all) => all.map((link) => (link as { title?: string }).title))
  expect(titles).toEqual(body.intents.map(({ intentId }: { intentId: string }) => intentId))
  expect(titles.length).toBeGreaterThan(0)
  await close()
})

test('an order leads to its tranches, a tranche to its order, an owner to its orders', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  await page.goto('/explorer/orders')
  const { body } = await rig.get('/order-details?limit=100')
  expect(body.total).toBeGreaterThan(25)
  const ids: string[] = []
  for (;;) {
    const links = page.locator('#list tbody th a')
    ids.push(
      ...(await links.evaluateAll((all) =>
        all.map((link) => (link as { title?: string }).title ?? ''),
      )),
    )
    const older = page.getByRole('link', { name: 'Older orders' })
    if ((await older.count()) === 0) break
    await followLink(page, older)
  }
  expect(ids).toEqual(body.orders.map(({ id }: { id: string }) => id))
  await page.goto(paths.order as string)
  await page.locator('tr[data-key="tranche-0"] a').first().click()
  await page.waitForURL(/\/explorer\/intent\//)
  await page.getByRole('link', { name: /^twap-/ }).click()
  await page.waitForURL(/\/explorer\/order\//)
  await page.goto(`/explorer/orders?owner=${order.user}`)
  const titles = await page
    .locator('#list tbody th a')
    .evaluateAll((all) => all.map((link) => (link as { title?: string }).title))
  expect(titles).toContain(order.id)
  expect((await rig.get('/explorer/orders?owner=nobody')).status).toBe(400)
  expect((await rig.get('/explorer/orders?cursor=forged')).status).toBe(400)
  expect((await rig.get(`/explorer/order/twap-${'0'.repeat(32)}`)).status).toBe(404)
  await close()
})

test('the example dashboard, from another origin, shows what GraphQL says', async () => {
  const { page, problems, close } = await openPage(browser, { ...PHONE, baseURL: rig.url })
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' }
  const files = createServer((request, answer) => {
    const name = new URL(request.url ?? '', rig.url).pathname.slice(1) || 'index.html'
    answer.setHeader('content-type', types[name.split('.')[1] ?? ''] ?? 'text/plain')
    answer.end(readFileSync(`examples/dashboard/${name}`))
  }).listen(0, '127.0.0.1')
  await once(files, 'listening')
  const { port } = files.address() as AddressInfo
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.getByText('Add the API’s address to this page’s: ?api=').waitFor()
  await page.goto(`http://127.0.0.1:${port}/?api=${encodeURIComponent(rig.url)}`)
  await page.locator('#pairs tbody tr').first().waitFor()
  const { data } = await rig
    .post('/graphql', {
      query:
        '{ statusCounts { completed } pairTotals(first: 10, orderBy: { field: completed, direction: desc }) { nodes { completed } } }',
    })
    .then(({ body }) => body)
  expect(
    await page
      .locator('#statuses tbody tr', { hasText: 'completed' })
      .locator('td')
      .nth(1)
      .textContent(),
  ).toBe(data.statusCounts.completed.toLocaleString('en'))
  const completed = await page.locator('#pairs tbody tr td:nth-child(3)').allTextContents()
  expect(completed).toEqual(
    data.pairTotals.nodes.map((pair: { completed: number }) => pair.completed.toLocaleString('en')),
  )
  expect(await page.locator('#chains tbody tr').count()).toBe(2)
  expect(await findAccessibilityProblems(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    PHONE.viewport.width,
  )
  expect(problems).toEqual([])
  await close()
  files.close()
})

describe('a wallet', () => describeExplorerWallet(opened))

test('changes are shown without a reload', async () => {
  const { page, problems, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  const { id, chain } = intents.expired
  await page.goto(`/explorer/intent/${id}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => Object.assign(globalThis, { wasHere: true }))
  const client = await rig.postgres.connect()
  await client.query(`begin;
    insert into cairn_${chain}_seeded.bid values (${chain}, ${id}, 9, '${intents.completed.solver.toLowerCase()}', 123456789, '0x01', 1790000000, 9);
    update cairn_${chain}_seeded.intent set bid_count = 1, best_bid = 123456789, phase = 'bidding' where intent_id = ${id};
    commit`)
  await page.locator('tr[data-key="bid-9"]').waitFor()
  expect(await page.evaluate(() => 'wasHere' in globalThis)).toBe(true)
  // The list as well: a row that wasn't there.
  await page.goto('/')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => Object.assign(globalThis, { wasHere: true }))
  const copy = BigInt(id) + 1_000_000n
  await client.query(`create temporary table copy as select * from cairn_${chain}_seeded.intent where intent_id = ${id};
    update copy set intent_id = ${copy}, created_at = created_at + 100000;
    insert into cairn_${chain}_seeded.intent select * from copy`)
  await page.locator(`#latest tr.fresh[data-key="${chain}:${copy}"]`).waitFor()
  expect(await page.evaluate(() => 'wasHere' in globalThis)).toBe(true)
  await client.query(`delete from cairn_${chain}_seeded.intent where intent_id = ${copy}`)
  await page.locator(`#latest tr[data-key="${chain}:${copy}"]`).waitFor({ state: 'detached' })
  await client.end()
  expect(problems).toEqual([])
  await close()
})

test('dollars appear only with a fresh price, its source and its time', async () => {
  const [overview, intent] = ['/', `/explorer/intent/${intents.completed.id}`]
  const pages = async () =>
    Promise.all([overview, intent].map(async (path) => (await rig.get(path, HTML)).text))
  for (const text of await pages()) expect(text).not.toMatch(/usd-note|class="usd|\$\d/)
  const { body } = await rig.get(`/intent-details/${intents.completed.id}`)
  const { tokens } = (await rig.get('/tokens')).body
  const priced = (usd: string, source: string, asOf: number) => {
    const prices = tokens.map(({ chainId, address }: { chainId: string; address: string }) => {
      return { chain: chainId, token: address, usd }
    })
    writeFileSync(`${rig.priceFile}.new`, JSON.stringify({ source, asOf: String(asOf), prices }))
    renameSync(`${rig.priceFile}.new`, rig.priceFile)
  }
  const statusIs = (status: string) =>
    until(async () => (await rig.get('/health')).body.prices.status === status)
  const now = Math.floor(Date.now() / 1_000)
  priced('1.25', 'The desk <b>', now)
  await statusIs('ok')
  for (const screen of [DESKTOP, PHONE]) {
    const { page, problems, close } = await openPage(browser, { ...screen, baseURL: rig.url })
    for (const path of [overview, intent]) {
      // A page may be remembered for a second.
      await until(async () => {
        await page.goto(path)
        return (await page.locator('.usd-note').count()) === 1
      })
      const note = await page.locator('.usd-note').textContent()
      expect(note).toContain('The desk <b>')
      expect(note).toContain(new Date(now * 1_000).toISOString().slice(0, 19).replace('T', ' '))
      expect(await page.locator('.usd').first().textContent()).toMatch(/^≈ \$[\d,]+\.\d\d$/)
      expect([path, await findAccessibilityProblems(page)]).toEqual([path, []])
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect([path, width <= screen.viewport.width]).toEqual([path, true])
    }
    const title = await page.locator('.swap .usd').first().getAttribute('title')
    const token = tokens.find(
      ({ chainId, address }: { chainId: string; address: string }) =>
        chainId === body.intent.sourceChainId && address === body.intent.tokenA,
    )
    expect(title).toContain(
      `exactly ${toUsd(BigInt(body.intent.amountA), token.decimals, '1.25')} USD`,
    )
    expect(problems).toEqual([])
    await close()
  }
  priced('1.25', 'The desk', now - 7_200)
  await statusIs('stale')
  await until(async () => (await pages()).every((text) => !/usd-note|class="usd/.test(text)))
})

test('by keyboard: skip to the content, search; dark and light are remembered', async () => {
  const { page, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
  await page.goto('/')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  const ground = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await ground()
  await page.getByRole('button', { name: 'Dark or light' }).click()
  const dark = await ground()
  expect(dark).not.toBe(light)
  await page.goto('/explorer/chains')
  expect(await ground()).toBe(dark)
  await close()
})

describe('a malicious token', () => describeMaliciousToken(opened))
