import { type Hex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { findKeyOperatorByMajority } from '../../../services/quorum/findKeyOperatorByMajority.ts'

const [SIGNER, ONE, OTHER] = ['aa', '01', '02'].map((byte): Hex => `0x${byte.repeat(20)}`) as [
  Hex,
  Hex,
  Hex,
]

test.each<[string, Hex[], Hex]>([
  ['the one that all name', [ONE], ONE],
  ['nobody, where nobody is named', [zeroAddress, zeroAddress], zeroAddress],
  ['the one that most name, whatever a lying node says', [OTHER, ONE, ONE], ONE],
  [
    'nobody, where one of three invents a registration',
    [ONE, zeroAddress, zeroAddress],
    zeroAddress,
  ],
  ['the one that is named where two nodes differ', [zeroAddress, ONE], ONE],
  ['the key itself where they name different ones', [ONE, OTHER], SIGNER],
  ['the key itself where all of them differ', [ONE, OTHER, zeroAddress], SIGNER],
])('a key’s operator is %s', (_, operators, expected) => {
  expect(findKeyOperatorByMajority(operators, SIGNER)).toBe(expected)
})
