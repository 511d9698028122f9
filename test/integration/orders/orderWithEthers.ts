import { encrypt } from 'eciesjs'
import { ethers } from 'ethers'

/*
 * An owner with ethers and eciesjs, who has read the service's documents and has nothing of ours: neither the
 * SDK nor viem, no types, no ABI of the project.
 */

const erc20 = [
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
]
const vaultAbi = ['function closeOrder(bytes32 orderId)']

/** What it is told: where the chain and the service are, and what to order. */
type OrderRequest = {
  rpc: string
  service: string
  privateKey: string
  /** All fields of an order but its user. Amounts as decimal strings. */
  order: { assetIn: string; totalAmountIn: string } & Record<string, unknown>
}

export async function orderWithEthers({
  rpc,
  service,
  privateKey,
  order: requested,
}: OrderRequest) {
  const provider = new ethers.providers.JsonRpcProvider(rpc)
  provider.pollingInterval = 50
  const wallet = new ethers.Wallet(privateKey, provider)
  const token = new ethers.Contract(requested.assetIn, erc20, wallet)
  const { address: vault } = await ask('/address')
  const { publicKey } = await ask('/ecies-pubkey')

  async function ask(path: string, body?: object) {
    const response = await fetch(service + path, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${answer.code}: ${answer.error}`)
    return answer
  }

  /** Signed texts are good for ten minutes. */
  const expiry = () => Math.floor(Date.now() / 1_000) + 600

  return {
    async place() {
      const approval = await token.approve(vault, requested.totalAmountIn)
      await approval.wait()
      const text = JSON.stringify({ ...requested, user: wallet.address })
      const sealed = encrypt(publicKey, new TextEncoder().encode(text))
      const encrypted = ethers.utils.hexlify(sealed)
      const digest = ethers.utils.keccak256(encrypted).slice(2)
      const message = `TWAP_ORDER:${digest}:${requested.sourceChainId}:${expiry()}`
      const signature = await wallet.signMessage(message)
      return (await ask('/orders', { encrypted, message, signature })).order
    },
    order: async (id: string) => (await ask(`/orders/${id}`)).order,
    mine: async () => (await ask(`/orders?user=${wallet.address}`)).orders,
    async cancel(id: string) {
      const message = `TWAP_CANCEL:${id}:${expiry()}`
      const signature = await wallet.signMessage(message)
      return (await ask(`/orders/${id}/cancel`, { message, signature })).order
    },
    /** Straight to the contract. */
    async leave(vaultOrderId: string) {
      const closing = await new ethers.Contract(vault, vaultAbi, wallet).closeOrder(vaultOrderId)
      await closing.wait()
    },
    balance: async (): Promise<bigint> => (await token.balanceOf(wallet.address)).toBigInt(),
  }
}
