import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256 } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../src/event/abi/enclaveKeyRegistry.ts'
import type { AccountSender } from '../../chain/accountSender.ts'
import type { DevnetAccounts } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { type DevnetContracts, MEASUREMENT } from './devnetContracts.ts'

const HOUR = 3_600n

/**
 * Registers the attester's key with development evidence, unless it is active.
 * The quoting key says "the program MEASUREMENT holds this key", the key itself proves possession.
 */
export async function registerAttester(
  client: DevnetClient,
  sender: AccountSender,
  contracts: DevnetContracts,
  { attester, quoting }: Pick<DevnetAccounts, 'attester' | 'quoting'>,
): Promise<void> {
  const registry = { address: contracts.registry, abi: enclaveKeyRegistryAbi } as const
  const signer = attester.address
  if (await client.readContract({ ...registry, functionName: 'isActive', args: [signer] })) return
  const [reportData, { timestamp }] = await Promise.all([
    client.readContract({ ...registry, functionName: 'reportDataFor', args: [signer] }),
    client.getBlock(),
  ])
  const quote = { measurement: MEASUREMENT, reportData, attestedAt: timestamp }
  const evidence = encodeEvidence(
    quote,
    await quoting.signTypedData({
      domain: domainOf('DevelopmentAttestationVerifier', client.chain.id, contracts.verifier),
      types: QUOTE_TYPES,
      primaryType: 'DevelopmentQuote',
      message: quote,
    }),
  )
  const deadline = timestamp + HOUR
  const proof = await attester.signTypedData({
    domain: domainOf('EnclaveKeyRegistry', client.chain.id, contracts.registry),
    types: POSSESSION_TYPES,
    primaryType: 'KeyPossession',
    message: { signer, evidenceHash: keccak256(evidence), deadline },
  })
  const data = encodeFunctionData({
    abi: enclaveKeyRegistryAbi,
    functionName: 'register',
    args: [signer, evidence, deadline, proof],
  })
  await sender.execute({ to: contracts.registry, data })
}

const QUOTE_TYPES = {
  DevelopmentQuote: [
    { name: 'measurement', type: 'bytes32' },
    { name: 'reportData', type: 'bytes32' },
    { name: 'attestedAt', type: 'uint64' },
  ],
} as const

const POSSESSION_TYPES = {
  KeyPossession: [
    { name: 'signer', type: 'address' },
    { name: 'evidenceHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

function domainOf(name: string, chainId: number, verifyingContract: `0x${string}`) {
  return { name, version: '1', chainId, verifyingContract } as const
}

function encodeEvidence(
  quote: { measurement: Hex; reportData: Hex; attestedAt: bigint },
  signature: Hex,
): Hex {
  return encodeAbiParameters(
    [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'uint64' }, { type: 'bytes' }],
    [quote.measurement, quote.reportData, quote.attestedAt, signature],
  )
}
