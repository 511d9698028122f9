import type { Browser, Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProofDocument } from '../../../core/proof/proofDocument.ts'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import {
  findAccessibilityProblems,
  type OpenPage,
  openPage,
  startBrowser,
} from '../../integration/explorer/browser.ts'
import { type InjectedWallet, injectWallet } from '../../integration/explorer/injectedWallet.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'

const DESKTOP = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const

/** Tests of the proof on an intent's page. @param running the devnet's file; called once the tests have started */
export function describeProof(running: () => DevnetFile): void {
  describe('the proof on an intent’s page', () => {
    let browser: Browser
    let opened: OpenPage
    let page: Page
    let intentId: string
    let wallet: InjectedWallet
    /** Of an intent in a final state, so it is fetched once. */
    let honest: ProofDocument

    beforeAll(async () => {
      const file = running()
      const completed = `${file.api}/intents?status=completed&limit=1`
      await until(
        async () => {
          const { intents = [] } = await json<{ intents?: { intentId: string }[] }>(completed)
          intentId = intents[0]?.intentId ?? ''
          return intentId !== ''
        },
        'an intent is completed',
        DEVNET_POLLING,
      )
      await until(
        async () => {
          const answer = await fetch(`${file.api}/intents/${intentId}/proof`)
          if (answer.ok) honest = (await answer.json()) as ProofDocument
          return answer.ok
        },
        'its proof is answered',
        DEVNET_POLLING,
      )
      browser = await startBrowser()
      opened = await openPage(browser, { ...DESKTOP, baseURL: file.api })
      page = opened.page
      const nodes = file.chains.map(({ chainId, rpc }): [number, string] => [chainId, rpc])
      const account = privateKeyToAccount(generatePrivateKey())
      wallet = await injectWallet(page, { name: 'Lantern', account, nodes })
    })
    afterAll(() => browser?.close())

    const verify = async () => {
      await page.goto(`/explorer/intent/${intentId}`)
      await page.getByRole('button', { name: 'Verify in this browser' }).click()
      await page.locator('.verdict').waitFor()
    }
    const states = () =>
      page
        .locator('.checks > li')
        .evaluateAll((all) => all.map((one) => (one as unknown as { className: string }).className))

    test('is verified event by event, and says what remains unproven', async () => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await verify()
      const { events, deployment } = honest
      const steps = events.length + (deployment ? 1 : 0) + 4
      expect(await states()).toEqual(Array(steps).fill('passed'))
      expect(await page.locator('.checks ul li.passed').count()).toBe(4 * (steps - 4))
      const blocks = new Set([deployment, ...events].flatMap((one) => one?.blockHash ?? []))
      const shown = await page.locator('.believed tbody .mono').allTextContents()
      expect(new Set(shown)).toEqual(blocks)
      // The verifier is loaded on demand, not with the page.
      const at = (name: string) => asked.findIndex((path) => path.endsWith(name))
      expect(at('/proof.js')).toBeGreaterThan(at('/explorer.js'))
      expect(at(`/intents/${intentId}/proof`)).toBeGreaterThan(at('/proof.js'))
      expect(await findAccessibilityProblems(page)).toEqual([])
    })

    test('has its blocks confirmed by the node behind the reader’s wallet', async () => {
      await verify()
      await page.getByRole('button', { name: 'Ask the node of Lantern' }).click()
      await page.getByText('Choose the other chain in your wallet').waitFor()
      const { chainId } = running().chains[0]!
      const here = [honest.deployment, ...honest.events].filter((one) => one?.chainId === chainId)
      const numbers = new Set(here.map((one) => one!.header.number))
      expect(await page.locator('.believed td.passed').count()).toBe(numbers.size)
      expect(await page.locator('.believed td.failed').count()).toBe(0)
      // Confirms the other chain once the wallet is on it; earlier confirmations remain.
      const others = await page.locator('.believed td.elsewhere').count()
      expect(others).toBeGreaterThan(0)
      wallet.use(running().chains[1]!.chainId)
      await page.getByRole('button', { name: 'Ask the node of Lantern' }).click()
      await page.getByText('Choose the other chain in your wallet').waitFor({ state: 'detached' })
      expect(await page.locator('.believed td.passed').count()).toBe(numbers.size + others)
    })

    const second = ({ events }: ProofDocument) => events[1]!
    const other = (hex: string, at: number) =>
      `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}` as `0x${string}`
    test.each<[string, string, string, (proof: ProofDocument) => void]>([
      [
        'a header',
        'Header hashes',
        'HEADER_HASH_MISMATCH',
        (proof) => {
          Object.assign(second(proof).header, { timestamp: '0x1' })
        },
      ],
      [
        'a node of the trie',
        'Receipt is in',
        'ROOT_MISMATCH',
        (proof) => {
          second(proof).proof[0] = other(second(proof).proof[0]!, 9)
        },
      ],
      [
        'a receipt',
        'Receipt is in',
        'RECEIPT_MISMATCH',
        (proof) => {
          second(proof).receipt = other(second(proof).receipt, 20)
        },
      ],
      [
        'a log that isn’t there',
        'Receipt has this log',
        'LOG_MISSING',
        (proof) => {
          second(proof).logPosition = 77
          second(proof).claimed.logIndex = 77
        },
      ],
      [
        'an event’s name',
        'Log is the event',
        'EVENT_MISMATCH',
        (proof) => {
          second(proof).type = 'IntentRefunded'
        },
      ],
      [
        'an event given twice',
        'Check the events as one history',
        'EVENT_REPEATED',
        (proof) => {
          proof.events.push(second(proof))
        },
      ],
      [
        'an unknown field',
        'Read it, strictly',
        'MALFORMED_PROOF',
        (proof) => {
          Object.assign(second(proof), { extra: 1 })
        },
      ],
    ])('tampered with in %s fails at “%s”', async (_what, words, code, tamper) => {
      const forged = structuredClone(honest)
      tamper(forged)
      const route = `**/intents/${intentId}/proof`
      await page.route(route, (one) => one.fulfill({ json: forged }))
      await verify()
      await page.unroute(route)
      expect(await page.locator('.verdict').textContent()).toBe('The proof doesn’t hold.')
      const failed = page.locator('.checks > li.failed')
      expect(await failed.count()).toBe(1)
      expect(await failed.locator('.quiet').textContent()).toContain(code)
      const check = failed.locator('ul li.failed')
      const place = (await check.count()) > 0 ? check : failed.locator('.step-word')
      expect(await place.textContent()).toContain(words)
      // Later steps aren't claimed.
      expect((await states()).indexOf('failed')).toBe((await states()).lastIndexOf('passed') + 1)
      expect(await page.locator('.believed').count()).toBe(0)
    })

    test('fails where the server’s own record differs from the proof', async () => {
      const route = `**/intent-details/${intentId}`
      await page.route(route, async (one) => {
        const { intent } = await json<{ intent: object }>(one.request().url())
        return one.fulfill({ json: { success: true, intent: { ...intent, payout: '1' } } })
      })
      await verify()
      await page.unroute(route)
      const failed = page.locator('.checks > li.failed')
      expect(await failed.textContent()).toContain('payout')
    })

    test('takes its verdict back once the page shows something else than was proven', async () => {
      await verify()
      const change = () =>
        page
          .locator('#intent')
          .evaluate((region) => void (region as { append(text: string): void }).append(' '))
      const route = `**/intent-details/${intentId}`
      const [compared] = await Promise.all([page.waitForResponse(route), change()])
      expect(compared.status()).toBe(200)
      await page.route(route, async (one) => {
        const { intent } = await json<{ intent: object }>(one.request().url())
        return one.fulfill({ json: { success: true, intent: { ...intent, status: 'failed' } } })
      })
      expect(await page.locator('.verdict').textContent()).toContain('Proven')
      await change()
      await page.getByText('This page has changed').waitFor()
      await page.unroute(route)
    })

    test('logs no error and contacts no other server', () => {
      expect([opened.problems, opened.foreign]).toEqual([[], []])
    })
  })
}

async function json<Body>(url: string): Promise<Body> {
  return (await (await fetch(url)).json()) as Body
}
