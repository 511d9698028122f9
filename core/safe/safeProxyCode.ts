import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

type Artifact = { bytecode: Hex; deployedBytecode: Hex }

const PROXY = loadArtifact('proxies/SafeProxy.sol/SafeProxy')

/** The creation code of each Safe, before the singleton's address. */
export const PROXY_CREATION_CODE = PROXY.bytecode

/** Hash of the code of every Safe that we issue. */
export const PROXY_CODE_HASH = keccak256(PROXY.deployedBytecode)

/** Read from the Safe project's package, 1.4.1. */
function loadArtifact(name: string): Artifact {
  const root = '@safe-global/safe-contracts/build/artifacts/contracts'
  const path = createRequire(import.meta.url).resolve(`${root}/${name}.json`)
  return JSON.parse(readFileSync(path, 'utf8'))
}
