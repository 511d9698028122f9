import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { EXPLORER_POLICY } from '../../../api/explorer/explorerRoutes.ts'
import { findAccessibilityProblems, openPage } from './browser.ts'
import { DESKTOP, type ExplorerSession, PHONE } from './explorerSession.ts'

/** Pages that axe looks at on a phone by night too: between them they have every part and colour. */
const ON_PHONES = new Set([
  'overview',
  'intents',
  'completed',
  'failed',
  'order',
  'solver',
  'tokens',
])

/** Milliseconds: axe takes seconds for a page where four other suites compute. */
const A_SLOW_MACHINE = 400_000

/** Bytes of the first page with all that it loads, as they are sent. */
const HEAVIEST = 150_000

/** See explorer.test.ts. */
export function describeEveryPage(open: () => ExplorerSession): void {
  let { rig, browser, paths, intents } = {} as ExplorerSession
  beforeAll(() => {
    ;({ rig, browser, paths, intents } = open())
  })

  test.each([
    ['on a desk by day', DESKTOP],
    ['on a phone by night', PHONE],
  ] as const)(
    '%s: no error, no outside request, no axe finding, nothing wider than the screen',
    async (_, screen) => {
      const { page, problems, foreign, close } = await openPage(browser, {
        ...screen,
        baseURL: rig.url,
      })
      for (const [name, path] of Object.entries(paths)) {
        const answer = await page.goto(path)
        expect([name, answer?.status()]).toEqual([name, name === 'nowhere' ? 404 : 200])
        if (screen === DESKTOP || ON_PHONES.has(name))
          expect([name, await findAccessibilityProblems(page)]).toEqual([name, []])
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect([name, width <= screen.viewport.width]).toEqual([name, true])
        expect([name, await findSpilling(page)]).toEqual([name, []])
      }
      // A browser reports any page that isn't there.
      expect(problems.filter((text) => !text.includes('404'))).toEqual([])
      expect(foreign).toEqual([])
      await close()
    },
    A_SLOW_MACHINE,
  )

  test('declares what it may load, and has nothing inline', async () => {
    for (const [name, path] of Object.entries(paths)) {
      const { headers, text } = await rig.get(path, { accept: 'text/html' })
      expect([name, headers.get('content-security-policy')]).toEqual([name, EXPLORER_POLICY])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect([
        name,
        text.match(
          / (?:on\w+|style)="[^"]*"|<style|javascript:|<script(?! (?:type="module" )?src="\/explorer\/assets\/)[^>]*>/gi,
        ),
      ]).toEqual([name, null])
    }
  })

  test('is small, as the first one shows', async () => {
    const page = await fetch(`${rig.url}/`, {
      headers: { accept: 'text/html', 'accept-encoding': 'br' },
    })
    const html = await page.text()
    const files = [...html.matchAll(/(?:src|href)="(\/explorer\/assets\/[^"]+)"/g)].map(
      ([, path]) => path as string,
    )
    expect(files.length).toBe(4)
    const weights = await Promise.all(['/', ...files].map((path) => sentBytes(`${rig.url}${path}`)))
    console.log('bytes sent for the first page:', weights.join(' + '))
    expect(weights.reduce((sum, one) => sum + one)).toBeLessThan(HEAVIEST)
  })

  test('can be read and searched without scripts', async () => {
    const { page, close } = await openPage(browser, {
      ...DESKTOP,
      javaScriptEnabled: false,
      baseURL: rig.url,
    })
    await page.goto('/')
    expect(await page.locator('#latest tbody tr').count()).toBe(8)
    expect(await page.locator('.copy:visible').count()).toBe(0)
    expect(await page.locator('#latest time').first().textContent()).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
    )
    await page.fill('#top-search', intents.completed.id)
    await page.press('#top-search', 'Enter')
    await page.waitForURL(/\/explorer\/intent\//)
    expect(await page.locator('h1').textContent()).toMatch(/^Intent #\d+/)
    await close()
  })
}

/** Tables and charts that reach over the margin of their page, where nothing scrolls. */
function findSpilling(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const main = document.querySelector('main') as HTMLElement
    const edge =
      main.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(main).paddingRight)
    return [...main.querySelectorAll('table, figure, .empty, .tiles')]
      .filter((one) => !one.closest('.scroll') && one.getBoundingClientRect().right > edge + 1)
      .map((one) => one.textContent?.slice(0, 40) ?? '')
  })
}

/** Bytes of an answer's body as a browser gets it. */
async function sentBytes(url: string): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', 'accept-encoding': 'br' }
    request(url, { headers }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('end', () => resolve(bytes))
    })
      .on('error', reject)
      .end()
  })
}
