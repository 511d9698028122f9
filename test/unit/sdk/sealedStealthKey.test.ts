import { createWalletClient, custom, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { createCairnClient } from '../../../sdk/index.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

const CHAIN = 84532
const chain = {
  ...{ chainId: CHAIN, bridge: `0x${'b1'.repeat(20)}` as const, providers: [], agreeing: 1 },
  ...{ mode: 'strict' as const, safe: findSafeContracts(CHAIN), confirmations: 1 },
  maxTransactionCost: 10n ** 17n,
}
const account = privateKeyToAccount(`0x${'77'.repeat(32)}`)

test('a relayer that passes on a wallet’s requests and the enclave’s answers learns no stealth key', async () => {
  const enclave = await createEnclave({ roots: [new Uint8Array(32).fill(0x21)], chains: [chain] })
  const delivery = { recipientAddress: account.address, chainId: CHAIN, intentId: 7n } as const
  const { stealthAddress } = await enclave.deriveStealth(delivery)
  const passed: string[] = []
  const baseUrl = await serveLocally(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const text = Buffer.concat(parts).toString()
    const { signature } = JSON.parse(text) as { signature: Hex }
    const header = (name: string) => request.headers[name] as Hex
    const challenge = {
      timestamp: Number(header('x-timestamp')),
      signature: header('x-auth-signature'),
      sealTo: header('x-seal-to'),
    }
    const asked = { ...delivery, stealthAddress, signature, challenge }
    const body = JSON.stringify({ stealthAddress, ...(await enclave.exportStealthKey(asked)) })
    passed.push(text, JSON.stringify(request.headers), body)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const transport = custom({ request: async () => null })
  const walletClient = createWalletClient({ account, transport })
  const client = createCairnClient({ relayer: { baseUrl }, chains: [], walletClient })
  const key = await client.recipient().stealthKey({ address: stealthAddress })
  expect(privateKeyToAccount(key).address.toLowerCase()).toBe(stealthAddress)
  expect(passed).toHaveLength(3)
  for (const text of passed) expect(text).not.toContain(key.slice(2))
})
