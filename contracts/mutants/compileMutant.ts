import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readImportClosure, type Sources } from './readImportClosure.ts'

/** Contracts that tests deploy, by their file below contracts/src. */
const deployed: Record<string, string> = {
  BridgeIntentV2: 'BridgeIntentV2.sol',
  EnclaveKeyRegistry: 'EnclaveKeyRegistry.sol',
  OrderVault: 'OrderVault.sol',
  CreationGateway: 'periphery/CreationGateway.sol',
  Create3Factory: 'periphery/Create3Factory.sol',
  DcapAttestationVerifier: 'attestation/DcapAttestationVerifier.sol',
  DevelopmentAttestationVerifier: 'attestation/DevelopmentAttestationVerifier.sol',
}

const remappings = [
  '@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/',
  'forge-std/=node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/',
]

const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc')

type CompilerAnswer = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>
}

/**
 * Compiles the contracts that contain a changed file, without optimizer, and writes their bytecode where tests load it.
 *
 * @param root the copy's root
 * @param file path below the root
 * @param contents the file's changed contents
 * @returns the compiler's errors (and nothing is written), or a function that restores the previous bytecode
 */
export async function compileMutant(
  root: string,
  file: string,
  contents: string,
): Promise<{ errors: string } | { undo: () => Promise<void> }> {
  const sources: Sources = new Map()
  const requested: Record<string, Record<string, string[]>> = {}
  for (const [contract, home] of Object.entries(deployed)) {
    const path = `contracts/src/${home}`
    const closure = await readImportClosure(root, path)
    if (!closure.has(file)) continue
    for (const [name, source] of closure) sources.set(name, source)
    sources.set(file, contents)
    requested[path] = { [contract]: ['evm.bytecode.object'] }
  }
  const answer = compile(sources, requested)
  const errors = (answer.errors ?? []).filter(({ severity }) => severity === 'error')
  if (errors.length > 0) return { errors: errors.map((e) => e.formattedMessage).join(' | ') }
  const undos = await Promise.all(
    Object.values(answer.contracts ?? {}).flatMap((contracts) =>
      Object.entries(contracts).map(([contract, { evm }]) =>
        replaceCode(root, contract, `0x${evm.bytecode.object}`),
      ),
    ),
  )
  return {
    undo: async () => {
      for (const undo of undos) await undo()
    },
  }
}

async function replaceCode(
  root: string,
  contract: string,
  object: string,
): Promise<() => Promise<void>> {
  const path = join(root, 'contracts/out', `${contract}.sol`, `${contract}.json`)
  const original = await readFile(path, 'utf8')
  const artifact = JSON.parse(original)
  artifact.bytecode.object = object
  await writeFile(path, JSON.stringify(artifact))
  return () => writeFile(path, original)
}

/** In this process: a warm compiler takes half the time. */
function compile(
  sources: Sources,
  outputSelection: Record<string, Record<string, string[]>>,
): CompilerAnswer {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries([...sources].map(([path, content]) => [path, { content }])),
    settings: {
      remappings,
      evmVersion: 'cancun',
      optimizer: { enabled: false },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection,
    },
  }
  return JSON.parse(solc.compile(JSON.stringify(input)))
}
