import type { Page } from 'playwright-core'
import {
  type Chain,
  createPublicClient,
  createWalletClient,
  type Hex,
  hexToString,
  http,
  isHex,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

/** A wallet in a page: it announces itself by EIP-6963 and signs with a key that stays in the test. */
export type InjectedWallet = {
  /** Methods that the page asked for, in order. */
  asked: string[]
  /** Texts that it signed. */
  signed: string[]
  /** Signatures it gave. */
  signatures: string[]
  /** Says no to whatever needs its owner from here on. */
  refuses: boolean
  /** Its owner chooses another chain. */
  use(chainId: number): void
}

type Call = { method: string; params?: unknown[] }

/**
 * Puts a wallet into every page of a context from its next load on.
 *
 * @param nodes RPC URLs by chain id; the wallet begins on the first
 */
export async function injectWallet(
  page: Page,
  {
    name,
    account,
    nodes,
  }: {
    name: string
    account: PrivateKeyAccount
    nodes: readonly (readonly [chainId: number, rpc: string])[]
  },
): Promise<InjectedWallet> {
  const binding = `wallet${name.replaceAll(/\W/g, '')}`
  let [chainId, rpc] = nodes[0]!
  const use = (requested: number) => {
    const node = nodes.find(([id]) => id === requested)
    if (!node) throw new Error('Unrecognized chain ID')
    ;[chainId, rpc] = node
  }
  const wallet: InjectedWallet = { asked: [], signed: [], signatures: [], refuses: false, use }
  const answer = async ({ method, params = [] }: Call): Promise<unknown> => {
    wallet.asked.push(method)
    const needsOwner = /^(eth_requestAccounts|personal_sign|eth_sendTransaction|wallet_)/
    if (wallet.refuses && needsOwner.test(method)) throw new Error('User rejected the request.')
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [account.address]
      case 'eth_chainId':
        return `0x${chainId.toString(16)}`
      case 'wallet_switchEthereumChain': {
        use(Number((params[0] as { chainId: Hex }).chainId))
        return null
      }
      case 'personal_sign': {
        const text = params[0] as string
        const message = isHex(text) ? hexToString(text) : text
        const signature = await account.signMessage({ message })
        wallet.signed.push(message)
        wallet.signatures.push(signature)
        return signature
      }
      case 'eth_sendTransaction': {
        const { to, data } = params[0] as { to: Hex; data: Hex }
        const chain = { id: chainId } as Chain
        const client = createWalletClient({ account, chain, transport: http(rpc) })
        return client.sendTransaction({ to, data, chain: null })
      }
      default:
        return createPublicClient({ transport: http(rpc) }).request({ method, params } as never)
    }
  }
  // An error's code doesn't come through a binding: it goes as a value.
  await page.exposeFunction(binding, (call: Call) =>
    answer(call).then(
      (value) => ({ value }),
      (error: Error) => ({ message: error.message, code: 4001 }),
    ),
  )
  await page.addInitScript(announce, { name, binding })
  return wallet
}

/** Runs in the page, before its own scripts. */
function announce({ name, binding }: { name: string; binding: string }): void {
  type Answered = { value?: unknown; message?: string; code?: number }
  const page = globalThis as unknown as EventTarget
  const ask = Reflect.get(globalThis, binding) as (call: Call) => Promise<Answered>
  const request = async (call: Call) => {
    const { value, message, code } = await ask(call)
    if (message !== undefined) throw Object.assign(new Error(message), { code })
    return value
  }
  const provider = { request, on: () => {}, removeListener: () => {} }
  const info = { uuid: `${name}-of-a-test`, name, rdns: 'test.wallet', icon: 'data:,' }
  const say = () => {
    const detail = Object.freeze({ info, provider })
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  page.addEventListener('eip6963:requestProvider', say)
  say()
}
