import { setTimeout as pause } from 'node:timers/promises'
import { encodeFunctionData, erc20Abi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { TrafficChain } from '../../devnet/traffic/trafficChainClient.ts'
import { createAccountSender } from '../../services/chain/accountSender.ts'
import { encodeMint } from '../rig/encodeMint.ts'

/** Milliseconds between retries. */
const AGAIN_MS = 200

/** Creates an account with this much USDC and approves the vault. */
export async function createOwner(
  { client, contracts: { tokens, vault } }: TrafficChain,
  amount: bigint,
): Promise<PrivateKeyAccount> {
  const owner = privateKeyToAccount(generatePrivateKey())
  await client.setBalance({ address: owner.address, value: 10n ** 18n })
  const sender = createAccountSender(client, owner)
  const calls = [
    encodeMint(owner.address, amount),
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault, amount] }),
  ]
  for (const data of calls) await sender.execute({ to: tokens.USDC, data, gas: 100_000n })
  return owner
}

/**
 * Repeats an owner's request to the order service until it answers.
 *
 * @throws when the service refuses the request
 */
export async function retryUntilAnswered(
  url: string,
  owner: PrivateKeyAccount,
  message: string,
  more: object = {},
): Promise<void> {
  const signature = await owner.signMessage({ message })
  const body = JSON.stringify({ ...more, message, signature })
  for (;;) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => null)
    if (answer?.ok) return
    if (answer && answer.status < 500 && answer.status !== 404 && answer.status !== 429) {
      throw new Error(`an order was refused: ${await answer.text()}`)
    }
    await pause(AGAIN_MS)
  }
}
