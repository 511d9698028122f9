import type { ChainCertificate } from './certificate.ts'

/** Lines of each list that are printed; the JSON has all of them. */
const SHOWN = 10

/** A chain's certificate for people. */
export function describeCertificate(chain: ChainCertificate): string {
  const { name, chainId, blocks, intents, blobs, stealthAddresses } = chain
  const { intentsWithoutBlob, rows, stateHash } = chain
  return [
    `${name} (${chainId}), blocks ${blocks.from} to ${blocks.to} (${blocks.toHash})`,
    `  intents              ${intents.count}${intents.last === null ? '' : `, ${intents.first} to ${intents.last}`}`,
    ...(intents.missing > 0
      ? [`  not found            ${intents.missing}: the start block is after their creation`]
      : []),
    `  blobs opened         ${blobs.opened} of ${blobs.seen}`,
    ...some(blobs.unreadable, ({ intentId, event, block, reason }) => {
      return `    unreadable         intent ${intentId}, ${event} in block ${block}: ${reason}`
    }),
    `  stealth addresses    ${stealthAddresses.count}`,
    ...some(stealthAddresses.notDerived, ({ intentId, event, block }) => {
      return `    not derived        of intent ${intentId}, ${event} in block ${block}: its chain isn’t configured, or a root is missing`
    }),
    `  intents without blob ${intentsWithoutBlob.length}`,
    ...some(intentsWithoutBlob, (id) => `    without blob       intent ${id}`),
    `  rows                 ${rows.bundles} bundles`,
    `  state hash           ${stateHash}`,
  ].join('\n')
}

function some<Item>(items: readonly Item[], line: (item: Item) => string): string[] {
  const more = items.length - SHOWN
  return [...items.slice(0, SHOWN).map(line), ...(more > 0 ? [`    … and ${more} more`] : [])]
}
