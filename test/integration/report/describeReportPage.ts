import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderPage } from '../../../tools/report/htmlPage.ts'
import { findAccessibilityProblems, openPage, startBrowser } from '../explorer/browser.ts'

const LOOKS = [
  ['on a desk by day', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['on a phone by night', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
] as const

/** Where pictures of the report go, if somebody wants to look at them. */
const PICTURES = process.env.REPORT_PICTURES

/**
 * The report's page in a browser, opened as a file as auditors do.
 *
 * @param wholeOf where a report is by now
 */
export function describeReportPage(directory: string, wholeOf: () => string): void {
  describe('the page in a browser', () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await startBrowser()
    })
    afterAll(() => browser?.close())

    /** A report in which everything is wrong that can be. */
    const faulty = () => {
      const path = join(directory, 'faulty.html')
      const nothing = { books: [], statements: [], intents: [], changes: [], unchecked: [] }
      const faults = [
        'USDC in the bridge: 5 missing',
        `<img src=x onerror="document.title='owned'">`,
      ]
      writeFileSync(path, [...renderPage({ ...nothing, faults })].join(''))
      return path
    }

    test.each(
      LOOKS,
    )('%s: axe finds nothing, no error is logged, nothing links outside', async (look, options) => {
      for (const path of [wholeOf(), faulty()]) {
        const url = pathToFileURL(path).href
        const { page, problems, foreign, close } = await openPage(browser, {
          ...options,
          baseURL: url,
        })
        await page.goto(url)
        expect(await page.title()).toBe('Cairn report')
        expect([path, await findAccessibilityProblems(page)]).toEqual([path, []])
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(options.viewport.width)
        if (PICTURES) {
          mkdirSync(PICTURES, { recursive: true })
          const name = `${path.split('/').at(-1)?.split('.')[0]}-${look.split(' ')[2]}.png`
          await page.screenshot({ path: join(PICTURES, name), fullPage: true })
        }
        expect([problems, foreign]).toEqual([[], []])
        await close()
      }
    })
  })
}
