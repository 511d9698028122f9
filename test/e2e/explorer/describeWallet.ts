import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  type PrivateKeyAccount,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { createOrdersClient, readVaultOrder, type StealthEntry } from '../../../sdk/index.ts'
import {
  findAccessibilityProblems,
  type OpenPage,
  openPage,
  startBrowser,
} from '../../integration/explorer/browser.ts'
import { type InjectedWallet, injectWallet } from '../../integration/explorer/injectedWallet.ts'
import { readBrowserStorage } from '../../integration/explorer/readBrowserStorage.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'
import { type Ordering, PAID } from '../orders/describeOrder.ts'

const DESKTOP = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const
type Visit = OpenPage & { wallet: InjectedWallet; urls: string[]; said: string[] }

/**
 * Tests of the wallet's page.
 *
 * @param begun the order example, whose recipient is registered; called once the tests have started
 * @param directory of the devnet
 */
export function describeWallet(begun: () => Ordering, directory: string): void {
  describe('the wallet’s page', () => {
    let browser: Browser
    let entries: StealthEntry[] = []
    beforeAll(async () => {
      entries = await begun().paid
      browser = await startBrowser()
    })
    afterAll(() => browser?.close())

    const visit = async (name: string, account: PrivateKeyAccount): Promise<Visit> => {
      const { file } = begun()
      const opened = await openPage(browser, { ...DESKTOP, baseURL: file.api })
      const { page } = opened
      const [urls, said]: [string[], string[]] = [[], []]
      page.on('request', (request) => urls.push(request.url()))
      page.on('console', (message) => said.push(message.text()))
      const nodes = file.chains.map(({ chainId, rpc }): [number, string] => [chainId, rpc])
      const wallet = await injectWallet(page, { name, account, nodes })
      await page.goto('/explorer/wallet')
      await page.getByRole('button', { name: 'Connect a wallet' }).click()
      await page.getByRole('button', { name: `Connect ${name}` }).click()
      await page.getByRole('button', { name: 'Disconnect' }).waitFor()
      return { ...opened, wallet, urls, said }
    }

    test('shows a recipient its deliveries and a key, and withdraws the funds; nothing private remains', async () => {
      const { account, file } = begun()
      const { page, problems, foreign, wallet, urls, said, close } = await visit('Lantern', account)
      await page.getByRole('button', { name: 'Show my deliveries' }).click()
      await page.locator('#deliveries tbody tr').first().waitFor()
      expect(await page.locator('#deliveries tbody tr').count()).toBe(entries.length)
      expect(wallet.signed).toEqual([`REGISTER_STEALTH:${account.address}`])
      const withdrawTo = page.getByLabel('Withdraw to')
      expect(await withdrawTo.inputValue()).toBe(account.address)
      // A person must be able to check where the funds will go.
      expect(
        await withdrawTo.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBe(0)

      const [first] = entries
      const row = page.locator(`#deliveries tr[data-key="${first!.safeAddress}"]`)
      expect(await row.textContent()).toMatch(/9\d(\.\d+)? USDC/)
      await row.getByRole('button', { name: 'Show key' }).click()
      const key = (await row.locator('.stealth-key .mono').textContent()) as Hex
      expect(privateKeyToAccount(key).address.toLowerCase()).toBe(first!.address.toLowerCase())
      expect(await findAccessibilityProblems(page)).toEqual([])
      await row.getByRole('button', { name: 'Hide' }).click()
      expect(await page.content()).not.toContain(key)

      const base = file.chains.find(({ chainId }) => chainId === first!.chainId)!
      const client = createPublicClient({ transport: http(base.rpc) })
      const usdc = { address: base.tokens.USDC as Hex, abi: erc20Abi } as const
      const held = () =>
        client.readContract({ ...usdc, functionName: 'balanceOf', args: [account.address] })
      const before = await held()
      await row.getByRole('button', { name: 'Withdraw' }).click()
      await page
        .locator('#deliveries > [role=status]', { hasText: 'went to' })
        .waitFor({ timeout: 120_000 })
      expect((await held()) - before).toBeGreaterThanOrEqual(PAID)
      expect(await client.getBalance({ address: account.address })).toBe(0n)
      expect(wallet.asked).not.toContain('eth_sendTransaction')

      expect(await readBrowserStorage(page)).toEqual([])
      const secrets = [key, ...wallet.signatures]
      const own = entries.flatMap(({ address, safeAddress }) => [address, safeAddress])
      const places = { urls, said, address: [page.url()], 'api.log': [logOf(directory, 'api')] }
      for (const [place, texts] of Object.entries(places))
        for (const one of [...secrets, ...own])
          expect([place, texts.some((text) => holds(text, one))]).toEqual([place, false])
      expect(holds(logOf(directory, 'api'), account.address)).toBe(false)
      // The relayer stores a Safe's deployment transaction, but no key or signature.
      for (const role of ['reactions', 'enclave', 'postgres'])
        for (const secret of secrets) expect(holds(logOf(directory, role), secret)).toBe(false)

      await page.getByRole('button', { name: 'Disconnect' }).click()
      expect(await page.content()).not.toContain(account.address)
      expect([problems, foreign]).toEqual([[], []])
      await close()
    })

    test('shows owners their orders, and closes one with the owner’s own transaction', async () => {
      const { file } = begun()
      const owner = privateKeyToAccount(file.accounts.guests[3] as Hex)
      const { id, vaultOrderId, vault, client } = await placeOrder(file, owner)
      const { page, problems, foreign, wallet, close } = await visit('Lantern', owner)
      await page.getByRole('button', { name: 'Show my orders' }).click()
      const row = page.locator(`#orders tr[data-key="${id}"]`)
      await row.waitFor()
      expect(await row.textContent()).toContain('Active')
      expect(await findAccessibilityProblems(page)).toEqual([])
      await row.getByRole('button', { name: 'Cancel' }).click()
      expect(wallet.asked).not.toContain('eth_sendTransaction')
      await row.getByRole('button', { name: 'Cancel: confirm' }).click()
      await page
        .locator('#orders > [role=status]', { hasText: 'The rest is back' })
        .waitFor({ timeout: 120_000 })
      expect(await row.textContent()).toContain('Cancelled')
      expect(await readVaultOrder(client, vault, vaultOrderId)).toMatchObject({
        closed: true,
        left: 0n,
      })
      expect([problems, foreign, wallet.signed]).toEqual([[], [], []])
      await close()
    })

    test('sends nothing its owner declines', async () => {
      const { page, wallet, close } = await visit('Lantern', begun().account)
      wallet.refuses = true
      await page.getByRole('button', { name: 'Show my deliveries' }).click()
      await page.getByText('You declined it in your wallet').waitFor()
      expect(wallet.signatures).toEqual([])
      await close()
    })
  })
}

/** An order by the guest whose first tranche is a day away. */
async function placeOrder(file: DevnetFile, owner: PrivateKeyAccount) {
  const [source, destination] = ['horizen_testnet', 'base_sepolia'].map(
    (requested) => file.chains.find(({ name }) => name === requested)!,
  ) as [DevnetFile['chains'][0], DevnetFile['chains'][0]]
  const orders = createOrdersClient({ baseUrl: file.orders! })
  const transport = http(source.rpc)
  const client = createPublicClient({ transport, pollingInterval: 200 })
  const vault = await orders.vaultAddress()
  const total = 200_000_000n
  const hash = await createWalletClient({ account: owner, transport }).writeContract({
    address: source.tokens.USDC as Hex,
    abi: erc20Abi,
    functionName: 'approve',
    chain: null,
    args: [vault, total],
  })
  const { blockHash } = await client.waitForTransactionReceipt({ hash })
  const now = Number((await client.getBlock({ blockHash })).timestamp)
  const { id, vaultOrderId } = await orders.createOrder(
    {
      user: owner.address,
      assetIn: source.tokens.USDC as Hex,
      assetOut: destination.tokens.USDC as Hex,
      chainIn: source.name,
      chainOut: destination.name,
      sourceChainId: source.chainId,
      destChainId: destination.chainId,
      totalAmountIn: total,
      amountPerPeriod: total / 2n,
      period: 86_400,
      startTime: now + 86_400,
      endTime: now + 5 * 86_400,
      recipients: [owner.address],
      amounts: [PAID],
    },
    (message) => owner.signMessage({ message }),
  )
  await until(
    async () => (await fetch(`${file.api}/order-details/${id}`)).ok,
    'the order is indexed',
    DEVNET_POLLING,
  )
  return { id, vaultOrderId, vault, client }
}

/** A devnet program's log. */
function logOf(directory: string, role: string): string {
  return readFileSync(join(directory, 'logs', `${role}.log`), 'utf8')
}

function holds(text: string, secret: string): boolean {
  return text.toLowerCase().includes(secret.slice(2).toLowerCase())
}
