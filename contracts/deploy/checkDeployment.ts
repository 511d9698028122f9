/** `npm run check:deployment`. */
import { toAccount } from 'viem/accounts'
import { compileArtifacts } from '../artifacts.ts'
import { readOptions } from '../script/readOptions.ts'
import { checkChainDeployment } from './checkChainDeployment.ts'
import { createDeployClient } from './deployClient.ts'
import { computeDeploymentAddresses } from './deploymentAddresses.ts'
import { readDeploymentFile } from './deploymentFile.ts'
import { explainFailure } from './explainFailure.ts'
import { formatCheck } from './formatDeployment.ts'

const USAGE = `npm run check:deployment -- --config <file>

Compares every chain in the file with its actual deployment: code and how it was created, immutables, owners, lists,
pending announcements, confirmation depths.
Exits 1 if anything differs; else prints the bridge's code hash, for the enclave's chains file.

  --config <file>  the deployment file
  --help           print this

RPC_URL_<chain id> is used for a chain without rpcUrl.`

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const values = readOptions({
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return console.log(USAGE)
  if (values.config === undefined) throw new Error('expected --config <deployment file>')
  const chains = readDeploymentFile(values.config)
  const artifacts = await compileArtifacts()
  for (const { deployment, rpcUrl } of chains) {
    const client = createDeployClient(deployment.chainId, rpcUrl, toAccount(deployment.deployer))
    const { bridge } = computeDeploymentAddresses(deployment.deployer, deployment.salt)
    try {
      const findings = await checkChainDeployment(client, deployment, artifacts)
      const code = findings.length === 0 ? await client.getCode({ address: bridge }) : undefined
      console.log(formatCheck(deployment, findings, code))
      if (findings.length > 0) process.exitCode = 1
    } catch (error) {
      throw new Error(explainFailure(deployment, error), { cause: error })
    }
  }
}
