/** `npm run deploy`. */
import { privateKeyToAccount, toAccount } from 'viem/accounts'
import { readKeyFile } from '../../services/config/readKeyFile.ts'
import { compileArtifacts } from '../artifacts.ts'
import { readOptions } from '../script/readOptions.ts'
import { deployChain } from './deployChain.ts'
import { createDeployClient } from './deployClient.ts'
import { readDeploymentFile } from './deploymentFile.ts'
import { explainFailure } from './explainFailure.ts'
import { formatDeployed, formatPlan } from './formatDeployment.ts'
import { previewDeployment } from './previewDeployment.ts'

const USAGE = `npm run deploy -- --config <file> [--dry-run]

Creates the missing contracts on every chain in the file, one chain after another (docs/deployment.md).

  --config <file>  the deployment file
  --dry-run        print addresses, constructor arguments and gas; needs no key
  --help           print this

DEPLOYER_KEY_FILE names a file of mode 600 with the deployer's private key. RPC_URL_<chain id> is used for a
chain without rpcUrl.`

try {
  await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const values = readOptions({
    config: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  })
  if (values.help) return console.log(USAGE)
  if (values.config === undefined) throw new Error('expected --config <deployment file>')
  const chains = readDeploymentFile(values.config)
  const account = values['dry-run'] ? null : deployerAccount()
  const artifacts = await compileArtifacts()
  for (const { deployment, rpcUrl } of chains) {
    const from = account ?? toAccount(deployment.deployer)
    const client = createDeployClient(deployment.chainId, rpcUrl, from)
    const done = account
      ? deployChain(client, deployment, artifacts).then((it) => formatDeployed(deployment, it))
      : previewDeployment(client, deployment, artifacts).then((it) => formatPlan(deployment, it))
    console.log(
      await done.catch((error) => {
        throw new Error(explainFailure(deployment, error), { cause: error })
      }),
    )
  }
}

function deployerAccount() {
  const path = process.env.DEPLOYER_KEY_FILE
  if (path === undefined) throw new Error('expected DEPLOYER_KEY_FILE to name the deployer’s key')
  const problems: string[] = []
  const key = readKeyFile('DEPLOYER_KEY_FILE', path, problems)
  if (key === null) throw new Error(problems.join('\n'))
  return privateKeyToAccount(key)
}
