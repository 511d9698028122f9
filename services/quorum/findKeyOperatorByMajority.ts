import { zeroAddress } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { findMajority } from '../chain/transactions/medianAndMajority.ts'

/**
 * A key's operator by majority of the nodes; the zero address if most name none. In a tie the key counts, since the
 * contract decides in the end: as the operator that nodes name, or as its own operator if they name several. Two keys
 * of one operator count once.
 */
export function findKeyOperatorByMajority(operators: readonly Hex[], signer: Hex): Hex {
  const [named = zeroAddress, another] = new Set(operators.filter((one) => one !== zeroAddress))
  return findMajority(operators, String) ?? (another === undefined ? named : signer)
}
