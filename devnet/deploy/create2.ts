import { type Address, concat, getContractAddress, type Hex } from 'viem'

/** The deterministic deployment proxy, which anvil and public chains have from the start. */
export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * Salt of all contracts, so that addresses depend on code and arguments only.
 */
const SALT: Hex = `0x${'00'.repeat(32)}`

/** Address at which a deterministic deployment proxy creates `initcode`. */
export function computeCreate2Address(
  initcode: Hex,
  deployer: Address = CREATE2_DEPLOYER,
): Address {
  return getContractAddress({ opcode: 'CREATE2', from: deployer, salt: SALT, bytecode: initcode })
}

/** Calldata for a deterministic deployment proxy: salt and initcode. */
export function encodeCreate2Call(initcode: Hex): Hex {
  return concat([SALT, initcode])
}
