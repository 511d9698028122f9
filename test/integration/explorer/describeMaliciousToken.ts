import { beforeAll, expect, test } from 'vitest'
import { BASE } from '../rest/seededApi.ts'
import { openPage } from './browser.ts'
import { HOSTILE_TOKEN } from './explorerRig.ts'
import { DESKTOP, type ExplorerSession } from './explorerSession.ts'

/** See explorer.test.ts. */
export function describeMaliciousToken(open: () => ExplorerSession): void {
  let { rig, browser, paths } = {} as ExplorerSession
  beforeAll(() => {
    ;({ rig, browser, paths } = open())
  })

  test('is shown as text, in quotes, with its address, wherever it appears', async () => {
    const { page, problems, close } = await openPage(browser, { ...DESKTOP, baseURL: rig.url })
    for (const path of ['/', '/explorer/intents', '/explorer/tokens', paths.token as string]) {
      await page.goto(path)
      const token = page.locator('.unlisted').first()
      expect([path, await token.textContent()]).toEqual([
        path,
        expect.stringMatching(/^“"><img src=x onerror="document.*…” 0x0000…[Aa][Dd]01$/),
      ])
      expect(await page.locator('img').count()).toBe(0)
      expect(await page.title()).not.toContain('owned')
      expect(await page.content()).not.toContain('\u202e')
    }
    expect(problems).toEqual([])
    await close()
  })

  test('has the same text in REST and GraphQL, short and without control characters', async () => {
    const { body } = await rig.get(`/tokens?chainId=${BASE}`)
    const hostile = body.tokens.find(
      ({ address }: { address: string }) => address.toLowerCase() === HOSTILE_TOKEN,
    )
    expect(hostile).toMatchObject({ source: 'chain', isListed: false, minimum: null, decimals: 6 })
    expect(hostile.symbol).toHaveLength(32)
    expect(hostile.symbol).not.toMatch(/\p{C}/u)
    const { body: answer } = await rig.post('/graphql', {
      query: `{ tokens(chainId: "${BASE}") { address symbol name } }`,
    })
    expect(answer.data.tokens).toContainEqual({
      address: hostile.address,
      symbol: hostile.symbol,
      name: hostile.name,
    })
  })

  test('can’t take the name of a listed one in filters', async () => {
    const { body } = await rig.get(`/intents?tokenB=${encodeURIComponent('"><img')}`)
    expect(body.intents).toEqual([])
  })
}
