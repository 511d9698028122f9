import { type Address, concat, encodeAbiParameters, type Hex } from 'viem'
import type { Artifacts, ContractName } from '../artifacts.ts'
import {
  CREATE2_DEPLOYER,
  CREATE3_FACTORY,
  CREATE3_FACTORY_CALL,
  create3Call,
  create3Proxy,
  create3Salt,
} from './create3.ts'
import { CREATE3_FACTORY_CODE } from './create3FactoryCode.ts'
import {
  computeDeploymentAddresses,
  DEPLOYED_NAMES,
  type DeployedName,
  type DeploymentAddresses,
} from './deploymentAddresses.ts'
import type { DeploymentSettings } from './deploymentSettings.ts'

/** One contract to be created. */
export type Step = {
  contract: ContractName
  address: Address
  /** Constructor arguments by name. */
  arguments: Record<string, unknown>
  /** Creation code with its encoded arguments. */
  creationCode: Hex
  /** The account whose first creation it is; null for the factory, created through CREATE2. */
  creator: Address | null
  /** The transaction that creates it. */
  call: { to: Address; data: Hex }
}

/** The contracts to create on a chain, in order. */
export function listDeploymentSteps(deployment: DeploymentSettings, artifacts: Artifacts): Step[] {
  const { deployer, salt } = deployment
  const addresses = computeDeploymentAddresses(deployer, salt)
  const factory: Step = {
    contract: 'Create3Factory',
    address: CREATE3_FACTORY,
    arguments: {},
    creationCode: CREATE3_FACTORY_CODE,
    creator: null,
    call: { to: CREATE2_DEPLOYER, data: CREATE3_FACTORY_CALL },
  }
  const ours = DEPLOYED_NAMES.map((name) => {
    const [contract, given] = construction(name, deployment, addresses)
    const creationCode = withArguments(artifacts, contract, given)
    const ownSalt = create3Salt(salt, name)
    const creator = create3Proxy(deployer, ownSalt)
    const call = { to: CREATE3_FACTORY, data: create3Call(ownSalt, creationCode) }
    return { contract, address: addresses[name], arguments: given, creationCode, creator, call }
  })
  return [factory, ...ours]
}

/** A contract, and its constructor's arguments under their Solidity names. */
function construction(
  name: DeployedName,
  deployment: DeploymentSettings,
  { bridge, registry, verifier, vault, gateway }: DeploymentAddresses,
): [ContractName, Record<string, unknown>] {
  const { owner, treasury, forfeitReceiver, windows, tokens, registry: keys } = deployment
  const { fundingWindow, closeDelay } = deployment.vault
  const { permit2, weth } = deployment.gateway
  switch (name) {
    case 'verifier':
      return keys.verifier.kind === 'development'
        ? ['DevelopmentAttestationVerifier', { quotingKey: keys.verifier.quotingKey }]
        : ['DcapAttestationVerifier', { dcap: keys.verifier.upstream }]
    case 'registry': {
      const { acceptsDebug, measurements, operators } = keys
      const { keyLifetime, activationDelay, additionDelay } = keys
      const terms = { keyLifetime, activationDelay, additionDelay }
      return [
        'EnclaveKeyRegistry',
        { owner, verifier, acceptsDebug, terms, measurements, operators },
      ]
    }
    case 'vault':
      return ['OrderVault', { bridge, registry, fundingWindow, closeDelay }]
    case 'gateway':
      return ['CreationGateway', { bridge, permit2, weth }]
    case 'bridge': {
      const destinations = deployment.destinations.map(BigInt)
      const lists = { tokens, destinations, periphery: [vault, gateway] }
      const accounts = { owner, treasury, registry, forfeitReceiver }
      return ['BridgeIntentV2', { ...accounts, windows, ...lists }]
    }
  }
}

/** Encodes arguments by position: order and types are the constructor's, names are not checked. */
function withArguments(
  artifacts: Artifacts,
  contract: ContractName,
  given: Record<string, unknown>,
): Hex {
  const { abi, bytecode } = artifacts[contract]
  const inputs = abi.find((entry) => entry.type === 'constructor')?.inputs ?? []
  const values = Object.values(given)
  if (values.length !== inputs.length)
    throw new Error(`${contract} takes ${inputs.length} arguments, not ${values.length}`)
  return concat([bytecode, encodeAbiParameters(inputs, values)])
}
