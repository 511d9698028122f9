/**
 * Discovers the browser's wallets (EIP-6963), reporting each once.
 *
 * @param {(wallet: { name: string, provider: { request(call: object): Promise<unknown> } }) => void} found
 */
export function discoverWallets(found) {
  const known = new Set()
  addEventListener('eip6963:announceProvider', ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (typeof info?.uuid !== 'string' || typeof provider?.request !== 'function') return
    if (known.has(info.uuid)) return
    known.add(info.uuid)
    found({ name: String(info.name).slice(0, 40), provider, info })
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
}
