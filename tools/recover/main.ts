#!/usr/bin/env node
import { existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ChainConfig } from '../../services/config/chainConfig.ts'
import { ConfigurationError } from '../../services/config/configurationError.ts'
import { readChainsFile } from '../../services/config/readChainsFile.ts'
import { readSecretFiles } from '../../services/config/readSecretFiles.ts'
import { createEnclave } from '../../services/enclave/createEnclave.ts'
import { toEnclaveChains } from '../../services/enclave/enclaveChain.ts'
import type { Enclave } from '../../services/enclave/enclaveInterface.ts'
import { readOrCreateRoots } from '../../services/enclave/keys/rootFile.ts'
import { connectEnclave } from '../../services/enclave/socket/connectEnclave.ts'
import { recoverIntoDatabase } from '../../services/relayer/recovery/recoverDatabase.ts'
import {
  buildRecoveryCertificate,
  type ChainCertificate,
  describeCertificate,
} from '../../services/relayer/recovery/recoveryCertificate.ts'
import { explain, onDatabase, ToolError } from '../commandLine.ts'
import { describeNodes } from '../describeNodes.ts'
import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import { createProgressBar } from '../progressBar.ts'
import { requireWritableFolder } from '../requireWritableFolder.ts'
import { parseOptions } from './parseOptions.ts'
import { USAGE } from './usage.ts'

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${explain('recover', error)}\n`)
  process.exitCode = 2
}
// The enclave's idle threads and connections would keep the process running.
process.exit()

async function run(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  readSecretFiles(process.env)
  const { databaseUrl, chains } = readEnvironment()
  if (options.certificate !== null)
    requireWritableFolder('--certificate', dirname(options.certificate))
  const named = selectChains(options.chains, chains)
  const enclave = await openEnclave(chains, options.threads)
  const progress = createProgressBar(process.stderr)
  const { eciesPublicKey } = await enclave.publicKeys()
  const recovery = recoverIntoDatabase({
    databaseUrl,
    chains: named,
    enclave,
    fromStart: options.fromStart,
    onStep: (step) => progress.show(step),
  }).finally(() => progress.end())
  const recovered = await onDatabase('DATABASE_URL', databaseUrl, recovery)
  const certificate = buildRecoveryCertificate(recovered, eciesPublicKey)
  const json = printableJson(certificate)
  if (options.certificate !== null) writeFileSync(options.certificate, `${json}\n`)
  process.stdout.write(
    options.json ? `${json}\n` : `${printable(recovered.map(describeChain).join('\n\n'))}\n`,
  )
  return certificate.isComplete ? 0 : 1
}

function describeChain(certificate: ChainCertificate): string {
  const nodes = describeNodes(certificate.nodes, 'the state hash of a recovery up to this block')
  return [describeCertificate(certificate), ...nodes].join('\n')
}

function readEnvironment(): { databaseUrl: string; chains: ChainConfig[] } {
  const { DATABASE_URL: databaseUrl, CHAINS } = process.env
  const problems: string[] = []
  if (!databaseUrl) problems.push('DATABASE_URL is not set')
  if (!CHAINS) problems.push('CHAINS is not set: the path of the chains file')
  if (!process.env.ENCLAVE_ROOT_FILE && !process.env.ENCLAVE_SOCKET)
    problems.push('ENCLAVE_ROOT_FILE or ENCLAVE_SOCKET must be set')
  const chains = CHAINS ? readChainsFile(CHAINS, problems) : []
  if (!databaseUrl || problems.length > 0) throw new ConfigurationError(problems)
  return { databaseUrl, chains }
}

/** The chains with these names; all without a name. */
function selectChains(names: readonly string[], chains: readonly ChainConfig[]): ChainConfig[] {
  const unknown = names.filter((name) => !chains.some((chain) => chain.name === name))
  if (unknown.length > 0) {
    throw new ToolError(`no chain called ${unknown.join(', ')} is configured`)
  }
  return chains.filter(({ name }) => names.length === 0 || names.includes(name))
}

/** Never creates a root: a new one couldn't open anything. */
async function openEnclave(chains: readonly ChainConfig[], threads: number): Promise<Enclave> {
  const { ENCLAVE_ROOT_FILE: rootFile, ENCLAVE_SOCKET: socket } = process.env
  if (socket) return connectEnclave(socket)
  if (!rootFile || !existsSync(rootFile)) {
    throw new ToolError(`there is no root file ${rootFile}: restore it from its backup`)
  }
  const { roots } = readOrCreateRoots(rootFile)
  return createEnclave({ roots, chains: toEnclaveChains(chains), decryptionThreads: threads })
}
