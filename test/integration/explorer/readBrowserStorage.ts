import type { Page } from 'playwright-core'

/** The globals of a browser in which a page can leave something. */
type BrowserStorage = {
  indexedDB: { databases(): Promise<{ name: string }[]> }
  /** Only of pages that came securely. */
  caches?: { keys(): Promise<string[]> }
  localStorage: object
  sessionStorage: object
  history: { state: unknown }
  name: string
  location: { search: string; hash: string }
}

/** What a page has left in its browser, as names of places; the choice of dark or light aside. */
export async function readBrowserStorage(page: Page): Promise<string[]> {
  const cookies = (await page.context().cookies()).map(({ name }) => `cookie ${name}`)
  const stored = await page.evaluate(async () => {
    const browser = globalThis as unknown as BrowserStorage
    const databases = await browser.indexedDB.databases()
    const caches = (await browser.caches?.keys()) ?? []
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
