import { BaseError, ContractFunctionRevertedError, decodeErrorResult, type Hex } from 'viem'
import type { Artifacts } from '../artifacts.ts'
import type { ReadClient } from './deploymentSettings.ts'
import type { Step } from './listDeploymentSteps.ts'

/** Largest runtime code of a contract, in bytes (EIP-170). */
const MOST_CODE = 24_576

/**
 * Explains why a contract can't be created. The factory doesn't report it, so the constructor is run alone, in a call
 * without effects.
 *
 * @returns null when it can be created
 */
export async function explainCreationFailure(
  client: ReadClient,
  { contract, creationCode }: Step,
  artifacts: Artifacts,
): Promise<string | null> {
  try {
    const { data } = await client.call({ data: creationCode })
    const size = data === undefined ? 0 : (data.length - 2) / 2
    if (size > MOST_CODE) return `its code has ${size} bytes; at most ${MOST_CODE} are allowed`
    return size === 0 ? 'its constructor leaves no code' : null
  } catch (error) {
    return reasonOf(error, artifacts[contract].abi)
  }
}

function reasonOf(error: unknown, abi: Artifacts['BridgeIntentV2']['abi']): string {
  const data = revertData(error)
  if (data === undefined) return error instanceof BaseError ? error.shortMessage : String(error)
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi, data })
    return `its constructor reverts with ${errorName}(${args.join(', ')})`
  } catch {
    return `its constructor reverts with ${data}`
  }
}

function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined
  const found = error.walk((cause) => typeof (cause as { data?: unknown }).data === 'string')
  if (found instanceof ContractFunctionRevertedError) return found.raw
  return (found as { data?: Hex } | null)?.data
}
