import {
  type Abi,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseAbi,
  parseEventLogs,
  toHex,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { enclaveKeyRegistryAbi } from '../../core/abi/enclaveKeyRegistry.ts'
import { enclaveRegistrationTypedData } from '../../sdk/messages/enclaveRegistration.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import type { Artifacts } from '../artifacts.ts'
import type { Windows } from './auctionRules.ts'
import type { Node } from './startReplayNode.ts'

/** The parts of a deployment that replays use. */
export type Deployment = { bridge: Hex; token: Hex; enclave: PrivateKeyAccount }

export const destination = 2_651_420
export const forfeitReceiver: Hex = '0x000000000000000000000000000000000000dEaD'
const mintable = parseAbi(['function mint(address to, uint256 amount)'])
const measurement = keccak256(toHex('economics: program'))
const keyOf = (name: string) => privateKeyToAccount(keccak256(toHex(`economics: ${name}`)))

/** Deploys the contracts with these windows and one enclave key, and funds everybody. */
export async function deployForReplay(
  node: Node,
  artifacts: Artifacts,
  windows: Windows,
): Promise<Deployment> {
  const [owner] = node.accounts as [Hex]
  const create = async ({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: unknown[]) => {
    const receipt = await node.succeed(owner, null, encodeDeployData({ abi, bytecode, args }))
    return receipt.contractAddress as Hex
  }
  const token = await create(artifacts.DevnetUsdc, [])
  const verifier = await create(artifacts.DevelopmentAttestationVerifier, [
    keyOf('quoting').address,
  ])
  const terms = { keyLifetime: 2_000_000_000, activationDelay: 0, additionDelay: 0 }
  const operators = [keyOf('operator').address]
  const registry = await create(artifacts.EnclaveKeyRegistry, [
    owner,
    verifier,
    true,
    terms,
    [measurement],
    operators,
  ])
  const enclave = await registerEnclave(node, registry, verifier)
  const bridgeWindows = {
    minAuctionDuration: 20,
    firmSeconds: windows.firm,
    pickupWindow: windows.pickup,
    executionWindow: windows.execution,
    settlementGrace: windows.grace,
    announcementDelay: 1,
  }
  const listing = { token, minEscrow: 10_000n, maxEscrow: 10n ** 15n, quorum: 1 }
  const bridge = await create(artifacts.BridgeIntentV2, [
    owner,
    owner,
    registry,
    forfeitReceiver,
    bridgeWindows,
    [listing],
    [BigInt(destination)],
    [],
  ])
  for (const [index, account] of node.accounts.entries()) {
    await fund(node, account, token, bridge)
    await setSealingKey(node, account, bridge, keyOf(`solver ${index}`))
  }
  return { bridge, token, enclave }
}

async function fund(node: Node, account: Hex, token: Hex, bridge: Hex): Promise<void> {
  const mint = { abi: mintable, functionName: 'mint', args: [account, 10n ** 15n] } as const
  const approve = { abi: erc20Abi, functionName: 'approve', args: [bridge, 2n ** 255n] } as const
  await node.succeed(account, token, encodeFunctionData(mint))
  await node.succeed(account, token, encodeFunctionData(approve))
}

/** Any point on the curve will do: nothing is sealed here. */
async function setSealingKey(
  node: Node,
  account: Hex,
  bridge: Hex,
  { publicKey }: PrivateKeyAccount,
): Promise<void> {
  const point = [BigInt(`0x${publicKey.slice(4, 68)}`), BigInt(`0x${publicKey.slice(68)}`)] as const
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'setSealingKey',
    args: [point[0], point[1]],
  })
  await node.succeed(account, bridge, data)
}

async function registerEnclave(
  node: Node,
  registry: Hex,
  verifier: Hex,
): Promise<PrivateKeyAccount> {
  const [enclave, operator] = [keyOf('enclave'), keyOf('operator')]
  const [payer] = node.accounts as [Hex]
  const contract = { address: registry, abi: enclaveKeyRegistryAbi } as const
  const asked = await node.succeed(
    payer,
    registry,
    encodeFunctionData({ abi: enclaveKeyRegistryAbi, functionName: 'newChallenge' }),
  )
  const [issued] = parseEventLogs({
    abi: enclaveKeyRegistryAbi,
    logs: asked.logs,
    eventName: 'ChallengeIssued',
  })
  if (issued === undefined) throw new Error('the registry issued no challenge')
  const { challenge } = issued.args
  const eciesKey = enclave.publicKey
  const reportData = await node.client.readContract({
    ...contract,
    functionName: 'reportDataFor',
    args: [enclave.address, eciesKey, challenge],
  })
  const evidence = await evidenceFor(node, verifier, reportData)
  const { timestamp } = await node.client.getBlock()
  const deadline = timestamp + 3_600n
  const typed = enclaveRegistrationTypedData(
    { chainId: node.chainId, registry },
    {
      signer: enclave.address,
      eciesKey,
      operator: operator.address,
      challenge,
      deadline,
      evidenceHash: keccak256(evidence),
    },
  )
  const data = encodeFunctionData({
    abi: enclaveKeyRegistryAbi,
    functionName: 'register',
    args: [
      enclave.address,
      eciesKey,
      operator.address,
      evidence,
      challenge,
      deadline,
      await enclave.signTypedData(typed),
      await operator.signTypedData(typed),
    ],
  })
  await node.succeed(payer, registry, data)
  return enclave
}

async function evidenceFor(node: Node, verifier: Hex, reportData: Hex): Promise<Hex> {
  const signature = await keyOf('quoting').signTypedData({
    domain: domainOf('DevelopmentAttestationVerifier', node.chainId, verifier),
    types: quoteTypes,
    primaryType: 'DevelopmentQuote',
    message: { measurement, reportData },
  })
  return encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes' }],
    [measurement, reportData, signature],
  )
}

function domainOf(name: string, chainId: number, verifyingContract: Hex) {
  return { name, version: '1', chainId, verifyingContract } as const
}

const quoteTypes = {
  DevelopmentQuote: [
    { name: 'measurement', type: 'bytes32' },
    { name: 'reportData', type: 'bytes32' },
  ],
} as const
