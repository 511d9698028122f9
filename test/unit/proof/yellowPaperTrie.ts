import { type Hex, keccak256, toRlp } from 'viem'

/**
 * The root of a Merkle-Patricia trie straight from the definition (yellow paper, appendix D), over
 * viem's RLP: slow, and sharing nothing with the library that the product uses.
 */
export function computeYellowPaperRoot(entries: readonly (readonly [key: Hex, value: Hex])[]): Hex {
  if (entries.length === 0) return keccak256('0x80')
  return keccak256(toRlp(node(entries.map(([key, value]) => [key.slice(2), value]))))
}

type Entry = readonly [nibbles: string, value: Hex]
type Item = Hex | readonly Item[]

function node(entries: readonly Entry[]): Item {
  const [first] = entries
  if (entries.length === 1) return [hexPrefix(first![0], 2), first![1]]
  const shared = sharedPrefix(entries)
  if (shared.length > 0) {
    const rest = entries.map(([key, value]) => [key.slice(shared.length), value] as const)
    return [hexPrefix(shared, 0), reference(node(rest))]
  }
  const branch: Item[] = []
  for (const nibble of '0123456789abcdef') {
    const below = entries.filter(([key]) => key[0] === nibble)
    branch.push(below.length === 0 ? '0x' : reference(node(below.map(([k, v]) => [k.slice(1), v]))))
  }
  branch.push(entries.find(([key]) => key === '')?.[1] ?? '0x')
  return branch
}

function reference(item: Item): Item {
  const rlp = toRlp(item as never)
  return rlp.length < 2 + 64 ? item : keccak256(rlp)
}

function hexPrefix(nibbles: string, flag: number): Hex {
  return nibbles.length % 2 === 0 ? `0x${flag}0${nibbles}` : `0x${flag + 1}${nibbles}`
}

function sharedPrefix(entries: readonly Entry[]): string {
  let shared = entries[0]![0]
  for (const [key] of entries) {
    while (!key.startsWith(shared)) shared = shared.slice(0, -1)
  }
  return shared
}
