import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { findChromium } from '../../rig/findChromium.ts'

/** A page of the machine's Chromium, and what went wrong on it. */
export type OpenPage = { page: Page; problems: string[]; foreign: string[]; close(): Promise<void> }

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Starts Chromium. Throws where there is none and none can be installed: this is no reason to skip. */
export function startBrowser(): Promise<Browser> {
  const command = findChromium()
  if (command === null)
    throw new Error('these tests need Chromium: run apt-get install chromium as root')
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
  ]
  return chromium.launch({
    executablePath: pathOf(command),
    args: [...args, '--disable-component-update', '--disable-sync'],
  })
}

/** Where a command is: Playwright takes paths only. */
function pathOf(command: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, command)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${command} is in no folder of PATH`)
  return found
}

export async function openPage(
  browser: Browser,
  options: BrowserContextOptions & { baseURL: string },
): Promise<OpenPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const problems: string[] = []
  const foreign: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(options.baseURL)) foreign.push(request.url())
  })
  return { page, problems, foreign, close: () => context.close() }
}

/** Follows a link, and waits until all of the page that it leads to is there. */
export async function followLink(page: Page, link: Locator): Promise<void> {
  const from = page.url()
  await link.click()
  await page.waitForURL(({ href }) => href !== from)
}

/** What axe finds on a page by WCAG 2.2 at level AA, as lines. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  // Twice given is once run: the page may be another than the last one.
  await page.evaluate(AXE)
  const found = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    type Violation = { id: string; nodes: { html: string; any: { message: string }[] }[] }
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> }
    }
    const { violations } = await axe.run({ runOnly: tags })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
    )
  })
  return found
}
