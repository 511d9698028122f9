import {
  type Account,
  type Address,
  BaseError,
  type Chain,
  type Hash,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
} from 'viem'

/** A call to send as a transaction. `gas` skips the estimation (and so the check that it succeeds). */
type Call = { to: Address | null; data: Hex; value?: bigint; gas?: bigint }

/** One account on one chain: its transactions go out one after the other, so nonces never collide. */
export type AccountSender = {
  address: Address
  /** Signs and sends; resolves with the hash as soon as the node has taken the transaction. */
  send(call: Call): Promise<Hash>
  /** Sends and waits until it is mined. @throws when it failed on chain */
  execute(call: Call): Promise<TransactionReceipt>
}

/** An account that signs here, by its private key. */
export type SigningAccount = Account & { signTransaction: NonNullable<Account['signTransaction']> }

const FEE_HEADROOM = 4n

/** @param pollingInterval milliseconds between looks for a receipt */
export function accountSender(
  client: PublicClient<Transport, Chain>,
  account: SigningAccount,
  pollingInterval = 250,
): AccountSender {
  let last: Promise<unknown> = Promise.resolve()

  function send(call: Call): Promise<Hash> {
    const sent = last.then(() => sendNow(client, account, call))
    last = sent.catch(() => {})
    return sent
  }

  return {
    address: account.address,
    send,
    execute: async (call) => {
      const hash = await send(call)
      const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval })
      if (receipt.status === 'reverted')
        throw new Error(`transaction ${hash} reverted in block ${receipt.blockNumber}`)
      return receipt
    },
  }
}

async function sendNow(
  client: PublicClient<Transport, Chain>,
  account: SigningAccount,
  call: Call,
): Promise<Hash> {
  const [gas, nonce, block] = await Promise.all([
    call.gas ?? client.estimateGas({ account, ...call }).then((needed) => (needed * 6n) / 5n),
    client.getTransactionCount({ address: account.address, blockTag: 'pending' }),
    client.getBlock(),
  ])
  const tip = 1_000_000_000n
  const serializedTransaction = await account.signTransaction({
    type: 'eip1559',
    chainId: client.chain.id,
    nonce,
    gas,
    to: call.to,
    data: call.data,
    value: call.value ?? 0n,
    maxPriorityFeePerGas: tip,
    maxFeePerGas: (block.baseFeePerGas ?? 0n) * FEE_HEADROOM + tip,
  })
  return client.sendRawTransaction({ serializedTransaction })
}

/** The contract's own words, where viem found some; else the first line of the error. */
export function reasonOf(error: unknown): string {
  if (error instanceof BaseError) return error.shortMessage
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
}
