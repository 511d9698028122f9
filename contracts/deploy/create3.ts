import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
} from 'viem'
import { CREATE3_FACTORY_CODE } from './create3FactoryCode.ts'

/** The deterministic deployment proxy: the public chains have it, as has anvil from the start. */
export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

const NO_SALT: Hex = `0x${'00'.repeat(32)}`

/** Where our factory is, on every chain. */
export const CREATE3_FACTORY: Address = getContractAddress({
  opcode: 'CREATE2',
  from: CREATE2_DEPLOYER,
  salt: NO_SALT,
  bytecode: CREATE3_FACTORY_CODE,
})

/** What the CREATE2 deployer must be sent to create the factory. */
export const CREATE3_FACTORY_CALL: Hex = concat([NO_SALT, CREATE3_FACTORY_CODE])

/** Creation code of the proxy through which the factory creates. */
const PROXY_CODE: Hex = '0x67363d3d37363d34f03d5260086018f3'

const factoryAbi = parseAbi([
  'function create(bytes32 salt, bytes creationCode) returns (address)',
  'error SaltAlreadyUsed(bytes32 salt, address created)',
  'error CreationFailed(bytes32 salt)',
])

/** The factory's salt of one of our contracts. */
export function create3Salt(salt: string, contract: string): Hex {
  return keccak256(stringToHex(`${salt}:${contract}`))
}

/** The proxy by which the factory creates what `creator` asks for under this salt. */
export function create3Proxy(creator: Address, salt: Hex): Address {
  const ownSalt = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [creator, salt]),
  )
  return getContractAddress({
    opcode: 'CREATE2',
    from: CREATE3_FACTORY,
    salt: ownSalt,
    bytecode: PROXY_CODE,
  })
}

/** Where the factory puts what `creator` creates with this salt: neither code nor arguments matter. */
export function create3Address(creator: Address, salt: Hex): Address {
  return getContractAddress({ opcode: 'CREATE', from: create3Proxy(creator, salt), nonce: 1n })
}

/** The call of the factory that creates a contract. */
export function create3Call(salt: Hex, creationCode: Hex): Hex {
  return encodeFunctionData({
    abi: factoryAbi,
    functionName: 'create',
    args: [salt, creationCode],
  })
}
