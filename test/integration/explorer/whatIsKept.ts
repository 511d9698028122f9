import type { Page } from 'playwright-core'

/** What a page has left in its browser, as names of places; the choice of dark or light aside. */
export async function whatIsKept(page: Page): Promise<string[]> {
  const cookies = (await page.context().cookies()).map(({ name }) => `cookie ${name}`)
  const stored = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a browser's globals, which this program has no types of
    const browser = globalThis as any
    const databases: { name: string }[] = await browser.indexedDB.databases()
    const caches: string[] = browser.caches ? await browser.caches.keys() : []
    return [
      ...Object.keys(browser.localStorage).map((key) => `localStorage ${key}`),
      ...Object.keys(browser.sessionStorage).map((key) => `sessionStorage ${key}`),
      ...databases.map(({ name }) => `indexedDB ${name}`),
      ...caches.map((name) => `cache ${name}`),
      ...(browser.history.state === null ? [] : ['history.state']),
      ...(browser.name === '' ? [] : ['window.name']),
      ...(browser.location.search + browser.location.hash === '' ? [] : ['location']),
    ]
  })
  return [...cookies, ...stored].filter((one) => one !== 'localStorage cairn-theme')
}
