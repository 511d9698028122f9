/**
 * `npm run pictures:explorer`: takes the screenshots of the explorer that documents show, into `docs/pictures/explorer`,
 * and with `--all` one of every page at two widths. Pages that need chains, a proof or a wallet show a devnet, the others
 * a seeded index.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type DevnetFile, readDevnetFile } from '../../devnet/devnetFile.ts'
import { startDevnet } from '../../devnet/startDevnet.ts'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { readOptions } from '../bench/readOptions.ts'
import { beginOrder } from '../e2e/orders/describeOrder.ts'
import { openPage, startBrowser } from '../integration/explorer/browser.ts'
import { listExplorerPages } from '../integration/explorer/explorerPagePaths.ts'
import { startExplorerRig } from '../integration/explorer/explorerRig.ts'
import { injectWallet } from '../integration/explorer/injectedWallet.ts'
import { UNTIL } from '../integration/rest/seededApi.ts'
import { until } from '../rig/until.ts'

const USAGE = `npm run pictures:explorer -- [--devnet .cairn] [--all FOLDER]
  --devnet  the directory of a devnet that runs already, instead of a new one
  --all     a folder for the pictures that no document shows`

const INTO = fileURLToPath(new URL('../../docs/pictures/explorer/', import.meta.url))

/** Two widths, light and dark. A picture ends with its page, or after `TALLEST` pixels. */
const LOOKS = {
  desk: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const satisfies Record<string, BrowserContextOptions>
const TALLEST = 1_200

const IN_DOCUMENTS = new Set([
  'completed-desk',
  'order-desk',
  'proof-desk',
  'solver-desk',
  'wallet-desk',
])

/** Pages that look like another one in the set. */
const LIKE_OTHERS = ['cancelled', 'expired', 'token']
const ON_DEVNET = ['overview', 'chains', 'order', 'solver', 'wallet']

const options = readOptions(USAGE, { devnet: { type: 'string' }, all: { type: 'string' } })
for (const folder of [INTO, options.all]) if (folder) mkdirSync(folder, { recursive: true })
const browser = await startBrowser()
try {
  await takeSeeded(browser)
  await onDevnet((file) => takeLive(browser, file))
} finally {
  await browser.close()
}

async function takeSeeded(browser: Browser): Promise<void> {
  const rig = await startExplorerRig(2_000)
  try {
    const { paths } = await listExplorerPages(rig)
    for (const [look, context] of Object.entries(LOOKS)) {
      const { page, close } = await openPage(browser, { ...context, baseURL: rig.url })
      // Show relative times as of the end of the seeded history.
      await page.clock.setFixedTime(UNTIL * 1_000)
      for (const [name, path] of Object.entries(paths)) {
        if (LIKE_OTHERS.includes(name) || ON_DEVNET.includes(name)) continue
        if (folderOf(name, look) === undefined) continue
        await page.goto(path)
        await take(page, name, look)
      }
      await close()
    }
  } finally {
    await rig.stop()
  }
}

async function takeLive(browser: Browser, file: DevnetFile): Promise<void> {
  const { ended, account, relayer, wallet } = beginOrder(file)
  const { intentIds, id, sourceChainId } = await ended
  const arePaid = async () =>
    (await wallet.list()).every(({ balances }) => balances.length > 0) &&
    (await relayer.intentDetails(intentIds[0]!)).status === 'completed'
  await until(arePaid, 'the recipient is paid', { timeout: 120_000, interval: 500 })
  for (const [look, context] of Object.entries(LOOKS)) {
    const { page, close } = await openPage(browser, { ...context, baseURL: file.api })
    const nodes = file.chains.map(({ chainId, rpc }) => [chainId, rpc] as const)
    await injectWallet(page, { name: 'Lantern', account, nodes })
    const intent = await relayer.intentDetails(intentIds[0]!)
    for (const [name, path] of [
      ['overview', '/'],
      ['chains', '/explorer/chains'],
      ['order', `/explorer/order/${id}?chainId=${sourceChainId}`],
      ['solver', `/explorer/solver/${intent.solverAddress}`],
    ] as const) {
      await page.goto(path)
      await take(page, name, look)
    }
    await page.goto(`/explorer/intent/${intent.intentId}`)
    await page.getByRole('button', { name: 'Verify in this browser' }).click()
    await page.locator('.verdict').waitFor()
    await page.getByRole('button', { name: 'Ask the node of Lantern' }).click()
    await page.getByText('Choose the other chain').waitFor()
    await take(page, 'proof', look, '#proof')
    await page.goto('/explorer/wallet')
    await page.getByRole('button', { name: 'Connect a wallet' }).click()
    await page.getByRole('button', { name: 'Connect Lantern' }).click()
    await page.getByRole('button', { name: 'Show my orders' }).click()
    await page.getByText('This wallet has no orders').waitFor()
    await page.getByRole('button', { name: 'Show my deliveries' }).click()
    await page.locator('#deliveries tbody tr').first().waitFor()
    await take(page, 'wallet', look)
    await close()
  }
}

/** @param part selector of the part of the page to capture; default: the whole page */
async function take(page: Page, name: string, look: string, part = 'body'): Promise<void> {
  const folder = folderOf(name, look)
  if (folder === undefined) return
  const box = await page.locator(part).boundingBox()
  const width = page.viewportSize()!.width
  const top = part === 'body' ? 0 : (box?.y ?? 0) + (await page.evaluate(() => globalThis.scrollY))
  const clip = { x: 0, y: top, width, height: Math.min(box?.height ?? TALLEST, TALLEST) }
  await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true, clip })
  console.log(`${name}-${look}.png`)
}

/** Where to put this picture; undefined if nobody wants it. */
function folderOf(name: string, look: string): string | undefined {
  return IN_DOCUMENTS.has(`${name}-${look}`) ? INTO : options.all
}

async function onDevnet(work: (file: DevnetFile) => Promise<void>): Promise<void> {
  if (options.devnet !== undefined) return work(readDevnetFile(options.devnet))
  const place = mkdtempSync(join(tmpdir(), 'cairn-pictures-'))
  const directory = join(place, '.cairn')
  const devnet = await startDevnet({ directory, traffic: { perMinute: 20, seed: 1 } })
  try {
    await work(devnet.file)
  } finally {
    await devnet.stop()
    removeClusterDirectory(join(directory, 'postgres'))
    rmSync(place, { recursive: true, force: true })
  }
}
