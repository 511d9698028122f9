import { type Input, RLP } from '@ethereumjs/rlp'
import { hexToBytes, keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { readProvenTrieValue, SurplusNodesError } from '../../../core/proof/readProvenTrieValue.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const encode = (...items: Input[]) => RLP.encode(items)
const nameOf = (node: Uint8Array) => hexToBytes(keccak256(node))
const NOTHING = new Uint8Array()

/** A branch with entries by nibble, and the value of a key that ends there. */
function branch(entries: Record<number, Uint8Array>, value: Uint8Array = NOTHING): Uint8Array {
  return encode(...Array.from({ length: 16 }, (_, nibble) => entries[nibble] ?? NOTHING), value)
}

// A trie with the values of three keys: 0x12, 0x1234, 0x1256.
const [SHORT, ONE, OTHER] = [1, 2, 3].map((byte) => new Uint8Array(40).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const one = encode('0x34', ONE)
const other = encode('0x36', OTHER)
const fork = branch({ 3: nameOf(one), 5: nameOf(other) }, SHORT)
const top = encode('0x0012', nameOf(fork))

const read = (key: Hex, ...nodes: [Uint8Array, ...Uint8Array[]]) =>
  readProvenTrieValue(keccak256(nodes[0]), hexToBytes(key), nodes)

test('the value of each key is read', () => {
  expect(read('0x1234', top, fork, one)).toEqual(ONE)
  expect(read('0x1256', top, fork, other)).toEqual(OTHER)
  expect(read('0x12', top, fork)).toEqual(SHORT)
})

test('no value is read with another root', () => {
  const wrong = () => readProvenTrieValue(keccak256(one), hexToBytes('0x1234'), [top, fork, one])
  expect(wrong).toThrow('node 0 does not match its hash')
})

test.each<[string, Hex, [Uint8Array, ...Uint8Array[]], string]>([
  ['of a key with another end', '0x1237', [top, fork, one], 'diverges'],
  ['of a key with another beginning', '0x9934', [top, fork, one], 'diverges'],
  ['of a longer key', '0x123456', [top, fork, one], 'another key'],
  ['of a key without an entry', '0x1294', [top, fork, one], 'no entry'],
  ['of another entry', '0x1234', [top, fork, other], 'node 2 does not match its hash'],
  ['without its last node', '0x1234', [top, fork], 'the nodes end'],
  ['of a key that ends within a path', '0x1234', [encode('0x123456', ONE)], 'diverges'],
  ['of a key that ends at a fork without a value', '0x12', [top, branch({})], 'does not match'],
  ['from a fork without a value', '0x', [branch({ 3: nameOf(one) })], 'no entry'],
  ['from an embedded node', '0x12', [encode('0x0012', '0x1234')], "doesn't name"],
  ['from a node of three items', '0x34', [encode('0x2034', ONE, ONE)], '3 items'],
  ['from a node of one item', '0x34', [encode('0x2034')], '1 items'],
  ['from a node with a list', '0x34', [encode('0x2034', [ONE])], 'not a list of byte strings'],
  ['from bytes', '0x34', [RLP.encode(ONE)], 'not a list of byte strings'],
  ['from a path without a flag', '0x34', [encode(NOTHING, ONE)], 'unknown flag'],
  ['from a path with an unknown flag', '0x34', [encode('0x4034', ONE)], 'unknown flag'],
  ['from a path in another form', '0x34', [encode('0x2134', ONE)], 'canonical'],
])('no value is read %s', (_, key, nodes, problem) => {
  expect(() => read(key, ...nodes)).toThrow(problem)
})

test('nodes that follow the value are named as such', () => {
  expect(() => read('0x1234', top, fork, one, other)).toThrow(SurplusNodesError)
})
