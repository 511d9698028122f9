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

/** Sends one account's transactions on one chain, one after the other, so nonces never collide. Keeps nothing on disk. */
export type AccountSender = {
  address: Address
  /** Signs and sends; resolves with the hash once the node has accepted the transaction. */
  send(call: Call): Promise<Hash>
  /** Sends a transaction and waits until it is mined. @throws if it reverted */
  execute(call: Call): Promise<TransactionReceipt>
}

/** An account that signs locally with its private key. */
export type SigningAccount = Account & { signTransaction: NonNullable<Account['signTransaction']> }

const FEE_HEADROOM = 4n

/** @param pollingInterval milliseconds between polls for a receipt */
export function createAccountSender(
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

/** viem's short message, which includes a contract's reason; else the error's first line. */
export function findReason(error: unknown): string {
  if (error instanceof BaseError) return error.shortMessage
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
}
