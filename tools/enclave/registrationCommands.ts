import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  encodeFunctionData,
  type Hex,
  isAddress,
  isHash,
  isHex,
  keccak256,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  zeroHash,
} from 'viem'
import { z } from 'zod'
import { enclaveKeyRegistryAbi as abi } from '../../core/abi/enclaveKeyRegistry.ts'
import { enclaveRegistrationTypedData } from '../../sdk/messages/enclaveRegistration.ts'
import { toEnclaveChains } from '../../services/enclave/enclaveChain.ts'
import type { Enclave, ResponseOf } from '../../services/enclave/enclaveInterface.ts'
import * as field from '../../services/enclave/fieldSchemas.ts'
import { ToolError } from '../commandLine.ts'
import { findRegistry, type Registry } from './registries.ts'
import { describeUnreadable, openRegistryNode } from './registryNode.ts'
import { findRegistrationRemedy, verifierErrors } from './registryRefusals.ts'

/** Without code on any chain, so that it takes what comes back. */
const ANYONE: Address = '0x000000000000000000000000000000000000dEaD'

/** A call that any account may send, as wallets take it. */
export type Call = {
  chainId: number
  to: Address
  data: Hex
  /** Wei, in decimal. */
  value: string
}

/** What registers a key, except for its operator's signature. */
export const registrationSchema = z.object({
  chainId: field.chainId,
  signer: field.address,
  eciesKey: field.publicKey,
  operator: field.address,
  challenge: field.bytes32,
  /** Unix seconds, in decimal. */
  deadline: z.string().regex(/^\d{1,20}$/, 'expected unix seconds, in decimal'),
  evidence: field.bytes,
  /** The key's own signature. */
  possession: field.signature65,
})
export type Registration = z.output<typeof registrationSchema>

/** The call by which a registry issues the challenge that an enclave's evidence answers. */
export function composeChallengeCall(registries: readonly Registry[], chainId: number): Call {
  const { registry } = findRegistry(registries, chainId)
  const data = encodeFunctionData({ abi, functionName: 'newChallenge' })
  return { chainId, to: registry, data, value: '0' }
}

/**
 * Has an enclave answer a challenge: evidence about its program, and its key's signature for the operator.
 *
 * @param asked `transaction`: the challenge's; `key`: which attestation key, `current` or `next`
 */
export async function requestRegistration(
  enclave: Pick<Enclave, 'quote' | 'provePossession'>,
  registries: readonly Registry[],
  asked: { chainId: number; operator: string; transaction: string; key: string },
): Promise<Registration> {
  const { chainId, operator, transaction, key } = asked
  if (!isAddress(operator, { strict: false })) throw new ToolError(`${operator} is not an address`)
  if (!isHash(transaction)) throw new ToolError(`${transaction} is not a transaction’s hash`)
  if (key !== 'current' && key !== 'next') throw new ToolError(`${key} is not a key: give next`)
  const { challenge, deadline, verifier } = await readChallenge(
    findRegistry(registries, chainId),
    transaction,
  )
  const quoted = await enclave.quote({ chainId, challenge, verifier, key })
  const { evidence, signer, eciesPublicKey: eciesKey } = quoted
  const { signature: possession } = await enclave.provePossession({
    ...{ chainId, operator, challenge, key },
    evidenceHash: keccak256(evidence),
    deadline: String(deadline),
  })
  return {
    ...{ chainId, signer, eciesKey, operator, challenge },
    ...{ deadline: String(deadline), evidence, possession },
  }
}

/** The EIP-712 message that a registration's operator signs. */
export function composeRegistrationMessage(
  registries: readonly Registry[],
  { evidence, deadline, ...registration }: Registration,
  chainId: number,
) {
  const { registry } = findRegistry(registries, chainId)
  if (registration.chainId !== chainId)
    throw new ToolError(`the registration is for chain ${registration.chainId}, not ${chainId}`)
  const { signer, eciesKey, operator, challenge } = registration
  const { message, ...typedData } = enclaveRegistrationTypedData(
    { chainId, registry },
    {
      ...{ signer, eciesKey, operator, challenge },
      evidenceHash: keccak256(evidence),
      deadline: BigInt(deadline),
    },
  )
  return { ...typedData, message: { ...message, deadline } }
}

/**
 * The call that registers the key, tried on the chain's current state first.
 *
 * @param value wei to send along, for a verifier that takes a fee: what it doesn't take comes back
 */
export async function composeRegistrationCall(
  registries: readonly Registry[],
  { possession, deadline, ...registration }: Registration,
  { operatorSignature, value = '0' }: { operatorSignature: string; value?: string | undefined },
): Promise<Call> {
  const { chainId, signer, eciesKey, operator, evidence, challenge } = registration
  const chain = findRegistry(registries, chainId)
  if (!isHex(operatorSignature)) throw new ToolError(`${operatorSignature} is not a signature`)
  if (!/^\d{1,30}$/.test(value)) throw new ToolError(`${value} is not an amount of wei`)
  const signed = [signer, eciesKey, operator, evidence, challenge, BigInt(deadline)] as const
  const call = {
    abi: [...abi, ...verifierErrors],
    functionName: 'register',
    args: [...signed, possession, operatorSignature],
  } as const
  const data = encodeFunctionData(call)
  try {
    const paid = value === '0' ? {} : payingAnyway(BigInt(value))
    await openRegistryNode(chain).simulateContract({ ...call, ...paid, address: chain.registry })
  } catch (error) {
    if (!isRevert(error)) throw describeUnreadable(chainId, error)
    throw new ToolError(
      `chain ${chainId}’s registry refuses this registration: ${reasonOf(error)}${remedyFor(error)}`,
    )
  }
  return { chainId, to: chain.registry, data, value }
}

/**
 * Has an enclave switch to its next attestation key, once that counts in every registry: the former key is gone then,
 * and contracts would reject what the new one signs.
 */
export async function promoteAttester(
  enclave: Pick<Enclave, 'quote' | 'rotateAttester'>,
  registries: readonly Registry[],
): Promise<ResponseOf<'rotateAttester'>> {
  for (const chain of registries) {
    const asked = { chainId: chain.chainId, challenge: zeroHash, key: 'next' } as const
    const { signer } = await enclave.quote(asked)
    if (!(await isActive(chain, signer)))
      throw new ToolError(
        `the next key ${signer} doesn’t count on chain ${chain.chainId}: register it there (request-registration … next), or wait until it is active, then try again`,
      )
  }
  return enclave.rotateAttester({ step: 'promote' })
}

/** Whether nodes of as many operators say so as enclaves need: one alone could have the key that counts discarded. */
async function isActive(chain: Registry, signer: Hex): Promise<boolean> {
  const asked = { address: chain.registry, abi, functionName: 'isActive', args: [signer] } as const
  const { providers, agreeing } = toEnclaveChains([chain])[0]!
  const answers = await Promise.all(
    providers.map(async ({ operator, url }) => {
      const answer = openRegistryNode({ rpcUrls: [url] }).readContract(asked)
      return answer.then(
        (isActive) => ({ operator, url, isActive, failure: null }),
        (failure: unknown) => ({ operator, url, isActive: null, failure }),
      )
    }),
  )
  const suffice = (some: typeof answers) =>
    new Set(some.map(({ operator }) => operator)).size >= agreeing
  if (suffice(answers.filter(({ isActive }) => isActive))) return true
  const failed = answers.find(({ isActive }) => isActive === null)
  if (failed && suffice(answers.filter(({ isActive }) => isActive !== false)))
    throw describeUnreadable(chain.chainId, failed.failure, new URL(failed.url).host)
  return false
}

/** Whoever sends the call will be able to afford it. */
function payingAnyway(value: bigint) {
  const stateOverride = [{ address: ANYONE, balance: 2n * value }]
  return { account: ANYONE, value, stateOverride }
}

/** The challenge that a transaction had the registry issue, when it expires, and the registry's verifier. */
async function readChallenge(chain: Registry, transaction: Hex) {
  const node = openRegistryNode(chain)
  const at = { address: chain.registry, abi } as const
  try {
    const { logs } = await node.getTransactionReceipt({ hash: transaction })
    const [issued] = parseEventLogs({
      abi,
      logs: logs.filter(({ address }) => address.toLowerCase() === chain.registry),
      eventName: 'ChallengeIssued',
    })
    if (!issued)
      throw new ToolError(`${transaction} issued no challenge of the registry ${chain.registry}`)
    const { challenge } = issued.args
    const [issuedAt, lifetime, verifier] = await Promise.all([
      node.readContract({ ...at, functionName: 'challengeIssuedAt', args: [challenge] }),
      node.readContract({ ...at, functionName: 'CHALLENGE_LIFETIME' }),
      node.readContract({ ...at, functionName: 'verifier' }),
    ])
    return { challenge, deadline: issuedAt + lifetime, verifier }
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (error instanceof TransactionReceiptNotFoundError)
      throw new ToolError(
        `${transaction} isn’t mined on chain ${chain.chainId}: try again when it is`,
      )
    throw describeUnreadable(chain.chainId, error)
  }
}

function isRevert(error: unknown): boolean {
  return findRevert(error) !== null
}

function findRevert(error: unknown): ContractFunctionRevertedError | null {
  if (!(error instanceof BaseError)) return null
  const reverted = error.walk((one) => one instanceof ContractFunctionRevertedError)
  return reverted instanceof ContractFunctionRevertedError ? reverted : null
}

/** What to do about a refusal, to follow its reason. */
function remedyFor(error: unknown): string {
  const reverted = findRevert(error)
  const remedy = reverted?.data
    ? findRegistrationRemedy(reverted.data.errorName)
    : 'if the chain’s verifier takes a fee, add enough wei as the last argument'
  return remedy === null ? '' : `: ${remedy}`
}

/** A contract's error with its arguments, or viem's first line, without the node's URL. */
function reasonOf(error: unknown): string {
  const reverted = findRevert(error)
  if (reverted?.data) return `${reverted.data.errorName}(${(reverted.data.args ?? []).join(', ')})`
  return error instanceof BaseError ? error.shortMessage : 'it reverts'
}
