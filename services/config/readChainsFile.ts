import { readFileSync } from 'node:fs'
import { findChainId, findChainName } from '../../core/chain/chainNames.ts'
import { type ChainConfig, chainsFileSchema } from './chainConfig.ts'
import { describeZodError } from './describeZodError.ts'

/**
 * Reads the chains file and adds all problems to `problems`, worded for the operator. Replaces aliases of chain names
 * with canonical names.
 */
export function readChainsFile(path: string, problems: string[]): ChainConfig[] {
  const found = parseJsonFile(path, problems)
  if (found === undefined) return []
  const parsed = chainsFileSchema.safeParse(found)
  if (!parsed.success) {
    problems.push(
      ...describeZodError(parsed.error).map((problem) => `CHAINS (${path}): ${problem}`),
    )
    return []
  }
  const { chains } = parsed.data
  problems.push(...inconsistencies(chains).map((problem) => `CHAINS (${path}): ${problem}`))
  return chains.map((chain) => ({ ...chain, name: findChainName(chain.chainId) ?? chain.name }))
}

function parseJsonFile(path: string, problems: string[]): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    problems.push(`CHAINS (${path}): can't be read: ${reason}`)
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    // Not the parser's message, which quotes the text around the error, possibly a key.
    problems.push(`CHAINS (${path}): not JSON: ${placeOf(text, faultIn(text))}`)
    return undefined
  }
}

/** Where a text stops being JSON: the end of its longest prefix that more text could complete. */
function faultIn(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (mayGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Whether a text is JSON or a prefix of it. */
function mayGoOn(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as SyntaxError
    if (/^(Unexpected end|Unterminated string)/.test(message)) return true
    return Number(/at position (\d+)/.exec(message)?.[1] ?? -1) >= text.length
  }
}

function placeOf(text: string, offset: number): string {
  if (offset >= text.length) return 'it ends too early'
  const lines = text.slice(0, offset).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}

/** Problems across fields: ids and names that repeat or contradict the known ones. */
function inconsistencies(chains: ChainConfig[]): string[] {
  return chains.flatMap(({ name, chainId }, position) => {
    const earlier = chains.slice(0, position)
    const found: string[] = []
    if (earlier.some((other) => other.chainId === chainId))
      found.push(`chains[${position}].chainId: ${chainId} appears twice`)
    if (earlier.some((other) => other.name === name))
      found.push(`chains[${position}].name: ${name} appears twice`)
    const knownId = findChainId(name)
    const knownName = findChainName(chainId)
    if (knownId !== null && knownId !== chainId)
      found.push(`chains[${position}].chainId: ${name} has id ${knownId}, not ${chainId}`)
    else if (knownName !== null && knownId === null)
      found.push(`chains[${position}].name: chain ${chainId} is called ${knownName}, not ${name}`)
    return found
  })
}
