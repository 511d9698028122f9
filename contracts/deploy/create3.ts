import {
  type Address,
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
} from 'viem'
import { CREATE3_FACTORY_CODE } from './create3FactoryCode.ts'

/** The deterministic deployment proxy, which public chains and anvil have from the start. */
export const CREATE2_DEPLOYER: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

const NO_SALT: Hex = `0x${'00'.repeat(32)}`

/** The factory's address on every chain. */
export const CREATE3_FACTORY: Address = getContractAddress({
  opcode: 'CREATE2',
  from: CREATE2_DEPLOYER,
  salt: NO_SALT,
  bytecode: CREATE3_FACTORY_CODE,
})

/** Calldata for the CREATE2 deployer that creates the factory. */
export const CREATE3_FACTORY_CALL: Hex = concat([NO_SALT, CREATE3_FACTORY_CODE])

/** Creation code of the proxy through which the factory creates. */
const PROXY_CODE: Hex = '0x67363d3d37363d34f03d5260086018f3'

const factoryAbi = parseAbi([
  'function create(bytes32 salt, bytes creationCode) returns (address)',
  'error SaltAlreadyUsed(bytes32 salt, address created)',
  'error CreationFailed(bytes32 salt)',
])

/** The factory's salt for a contract. */
export function create3Salt(salt: string, contract: string): Hex {
  return keccak256(stringToHex(`${salt}:${contract}`))
}

/** The proxy through which the factory creates a contract for `creator` under this salt. */
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

/** The address of a contract that `creator` creates with this salt; independent of code and arguments. */
export function create3Address(creator: Address, salt: Hex): Address {
  return getContractAddress({ opcode: 'CREATE', from: create3Proxy(creator, salt), nonce: 1n })
}

/** What a factory call creates; null if it isn't exactly what `create3Call` makes. */
export function readCreate3Call(data: Hex): { salt: Hex; creationCode: Hex } | null {
  try {
    const { args } = decodeFunctionData({ abi: factoryAbi, data })
    const [salt, creationCode] = args
    return create3Call(salt, creationCode) === data ? { salt, creationCode } : null
  } catch {
    return null
  }
}

/** The factory call that creates a contract. */
export function create3Call(salt: Hex, creationCode: Hex): Hex {
  return encodeFunctionData({
    abi: factoryAbi,
    functionName: 'create',
    args: [salt, creationCode],
  })
}
