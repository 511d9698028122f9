import { createPublicClient, custom } from 'viem'
import { expect, test } from 'vitest'
import { validateIntent } from '../../../sdk/client/validateIntent.ts'
import { createCairnClient } from '../../../sdk/index.ts'

const BRIDGE = `0x${'b1'.repeat(20)}` as const
const TOKEN = `0x${'70'.repeat(20)}` as const
const PAYEE = `0x${'a1'.repeat(20)}` as const
const NOW = 1_795_000_000

const publicClient = createPublicClient({
  transport: custom({ request: () => Promise.reject(new Error('no node')) }),
})
const chains = [
  { name: 'base_sepolia', chainId: 84532, bridge: BRIDGE, publicClient },
  { name: 'horizen_testnet', chainId: 2651420, bridge: BRIDGE },
]

test('a deadline in milliseconds is refused with what to give instead', () => {
  const request = {
    sourceChain: 'base_sepolia',
    destChain: 'horizen_testnet',
    tokenIn: TOKEN,
    tokenOut: TOKEN,
    amountIn: 100n,
    minAmountOut: 90n,
    reward: 1n,
    recipients: [{ address: PAYEE, amount: 90n }],
  } as const
  const check = (deadline: number) => () => validateIntent({ ...request, deadline }, chains, NOW)
  expect(check((NOW + 90) * 1_000)).toThrow('give unix seconds')
  expect(check(NOW + 90)).not.toThrow()
})

test('a relayer that doesn’t answer is named, without its password', async () => {
  const cairn = createCairnClient({
    relayer: { baseUrl: 'http://user:secret@127.0.0.1:9/api' },
    chains,
  })
  const failure = await cairn
    .intent(1n)
    .status()
    .catch((error: Error) => error)
  expect(failure).toMatchObject({ code: 'TACHYON_API_UNREACHABLE', retryable: true })
  expect((failure as Error).message).toBe(
    'the relayer at http://127.0.0.1:9 did not answer: check baseUrl, or retry',
  )
})

test('an event’s intent id, which is text, is an id too', () => {
  const cairn = createCairnClient({ relayer: { baseUrl: 'http://127.0.0.1:9' }, chains })
  expect(cairn.intent('1559340170038815817203713').id).toBe(1_559_340_170_038_815_817_203_713n)
})
