import { type Address, createClient, erc20Abi, http, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createIntentCall, type RelayerClient, sealBundle } from '../../sdk/index.ts'
import { decodeLog } from '../../src/event/decodeLog.ts'
import type { ExampleSetup } from './exampleSetup.ts'

/** The intent to send. Amounts in base units. */
type Payment = {
  recipient: Address
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
}

/** Auction length in seconds. */
const AUCTION = 20n

/**
 * A sender's part: approves, creates the intent, and sends the relayer the encrypted recipients.
 *
 * @returns the intent's id
 */
export async function sendIntent(
  { source, destination, senderKey }: ExampleSetup,
  relayer: RelayerClient,
  { recipient, tokenA, tokenB, amountA, expectedAmountB, reward }: Payment,
): Promise<bigint> {
  const account = privateKeyToAccount(senderKey)
  const client = createClient({ account, transport: http(source.rpc), pollingInterval: 250 })
    .extend(publicActions)
    .extend(walletActions)
  const approval = await client.writeContract({
    ...{ chain: null, address: tokenA, abi: erc20Abi, functionName: 'approve' },
    args: [source.bridge, amountA + reward],
  })
  await client.waitForTransactionReceipt({ hash: approval })
  const destChainId = BigInt(destination.chainId)
  const terms = { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId }
  const data = createIntentCall({ ...terms, auctionDuration: AUCTION })
  const hash = await client.sendTransaction({ chain: null, to: source.bridge, data })
  const { logs } = await client.waitForTransactionReceipt({ hash })
  const created = logs
    .map((log) => decodeLog(log as never, {} as never))
    .find((event) => event?.type === 'IntentCreated')
  if (created?.type !== 'IntentCreated') throw new Error(`no intent created by ${hash}`)
  const { intentId } = created.args
  const encryptedData = sealBundle(await relayer.eciesPublicKey(), {
    ...{ recipients: [recipient], amounts: [expectedAmountB] },
    ...{ intentId, chainId: source.chainId, sender: account.address },
  })
  await relayer.storeRecipients({ intentId, chainId: source.chainId, encryptedData })
  return intentId
}
