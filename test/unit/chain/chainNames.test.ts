import { expect, test } from 'vitest'
import { findChainId, findChainName, isMainnet } from '../../../core/chain/chainNames.ts'
import { parseChainId } from '../../../src/chain/parseChainId.ts'

const PROTOCOL_TABLE = {
  horizen_mainnet: 26514,
  base_mainnet: 8453,
  polygon_mainnet: 137,
  ethereum_mainnet: 1,
  optimism_mainnet: 10,
  rari_mainnet: 1380012617,
  horizen_testnet: 2651420,
  base_sepolia: 84532,
  polygon_amoy: 80002,
  ethereum_sepolia: 11155111,
  optimism_sepolia: 11155420,
  rari_testnet: 1918988905,
}

test('names and ids are those of the protocol, both ways', () => {
  for (const [name, id] of Object.entries(PROTOCOL_TABLE)) {
    expect(findChainId(name)).toBe(id)
    expect(findChainName(id)).toBe(name)
    expect(isMainnet(id)).toBe(name.endsWith('_mainnet'))
  }
})

test('<chain>_testnet is an alias that is never answered', () => {
  for (const name of Object.keys(PROTOCOL_TABLE)) {
    if (name.endsWith('_mainnet')) continue
    const alias = `${name.split('_')[0]}_testnet`
    expect(findChainId(alias)).toBe(findChainId(name))
    expect(findChainName(findChainId(alias)!)).toBe(name)
  }
})

test('other names and ids are unknown', () => {
  for (const name of [
    '',
    'base',
    'BASE_MAINNET',
    'base_mainnet_testnet',
    '__proto__',
    'toString',
  ]) {
    expect(findChainId(name)).toBeNull()
  }
  expect(findChainName(31337)).toBeNull()
  expect(isMainnet(31337)).toBe(false)
})

test('a chain id out of a log is a number only when no precision is lost', () => {
  expect(parseChainId(84532n)).toBe(84532)
  expect(parseChainId(2n ** 53n - 1n)).toBe(2 ** 53 - 1)
  for (const impossible of [0n, 2n ** 53n, 2n ** 64n + 84532n, 2n ** 256n - 1n]) {
    expect(parseChainId(impossible)).toBeNull()
  }
})
