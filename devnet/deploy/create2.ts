import { type Address, concat, getContractAddress, type Hex } from 'viem'

/** The deterministic deployment proxy: anvil has it from the start, as have the public chains. */
export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/**
 * All our contracts are deployed with this salt, so that addresses depend on code and arguments
 * only.
 */
const SALT: Hex = `0x${'00'.repeat(32)}`

/** Where `initcode` lands when a deterministic deployment proxy creates it. */
export function create2Address(initcode: Hex, deployer: Address = CREATE2_DEPLOYER): Address {
  return getContractAddress({ opcode: 'CREATE2', from: deployer, salt: SALT, bytecode: initcode })
}

/** What to send to a deterministic deployment proxy: salt and initcode. */
export function create2Call(initcode: Hex): Hex {
  return concat([SALT, initcode])
}
