import type { Page } from 'playwright-core'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { BASE } from '../rest/seededApi.ts'
import { findAccessibilityProblems, openPage } from './browser.ts'
import { DESKTOP, type ExplorerSession } from './explorerSession.ts'
import { injectWallet } from './injectedWallet.ts'
import { readBrowserStorage } from './readBrowserStorage.ts'

/** See explorer.test.ts. */
export function describeExplorerWallet(open: () => ExplorerSession): void {
  let { rig, browser, order } = {} as ExplorerSession
  beforeAll(() => {
    ;({ rig, browser, order } = open())
  })

  const start = async () => {
    const opened = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
    const urls: string[] = []
    opened.page.on('request', (request) => urls.push(request.url()))
    return { ...opened, urls }
  }
  const injected = (page: Page, name: string, address: Hex) => {
    const account = { ...privateKeyToAccount(generatePrivateKey()), address }
    return injectWallet(page, { name, account, nodes: [[BASE, rig.anvil.rpc]] })
  }

  test('is found among several, shows its owner’s orders, and leaves nothing private behind', async () => {
    const { page, problems, foreign, urls, close } = await start()
    const owner = order.user as Hex
    const other = await injected(page, 'Other', owner)
    const wallet = await injected(page, 'Lantern', owner)
    await page.goto('/explorer/wallet')
    // What it takes comes with the button, and no wallet is asked for anything before it is chosen.
    expect(urls.some((url) => url.endsWith('/wallet.js'))).toBe(false)
    await page.getByRole('button', { name: 'Connect a wallet' }).click()
    await page.getByRole('button', { name: 'Connect Other' }).waitFor()
    expect([...other.asked, ...wallet.asked]).toEqual([])
    await page.getByRole('button', { name: 'Connect Lantern' }).click()
    await page.getByRole('button', { name: 'Show my orders' }).click()
    await page.locator('#orders tbody tr').first().waitFor()
    const { body } = await rig.get(`/order-details?user=${owner}&limit=100`)
    const ids = await page
      .locator('#orders tbody tr')
      .evaluateAll((all) => all.map((row) => row.getAttribute('data-key')))
    expect(ids).toEqual(body.orders.map(({ id }: { id: string }) => id))
    expect(await findAccessibilityProblems(page)).toEqual([])
    expect(await readBrowserStorage(page)).toEqual([])
    expect(rig.logged.some((line) => line.includes('/order-details'))).toBe(true)
    expect(
      rig.logged.filter((line) => line.toLowerCase().includes(owner.slice(2).toLowerCase())),
    ).toEqual([])
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await expect.poll(() => page.locator('.connected *').count()).toBe(0)
    expect([other.asked, wallet.signed, problems, foreign]).toEqual([[], [], [], []])
    await close()
  })

  test('that declines is not asked again, and without one the page says so', async () => {
    const { page, problems, close } = await start()
    await page.goto('/explorer/wallet')
    await page.getByRole('button', { name: 'Connect a wallet' }).click()
    await page.getByText('No wallet found').waitFor()
    const wallet = await injected(page, 'Lantern', order.user as Hex)
    wallet.refuses = true
    await page.reload()
    await page.getByRole('button', { name: 'Connect a wallet' }).click()
    await page.getByRole('button', { name: 'Connect Lantern' }).click()
    await page.getByText('You declined it in your wallet').waitFor()
    expect(wallet.asked).toEqual(['eth_requestAccounts'])
    expect(problems).toEqual([])
    await close()
  })

  test('with a malicious name is shown as text', async () => {
    const { page, problems, close } = await start()
    await injected(page, `<img src=x onerror="document.title='owned'">`, order.user as Hex)
    await page.goto('/explorer/wallet')
    await page.getByRole('button', { name: 'Connect a wallet' }).click()
    await page.getByRole('button', { name: /^Connect <img/ }).waitFor()
    expect([await page.locator('img').count(), await page.title()]).toEqual([0, 'Wallet · Cairn'])
    expect(problems).toEqual([])
    await close()
  })
}
