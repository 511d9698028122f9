import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createDeployClient } from '../../../contracts/deploy/deployClient.ts'
import { computeDeploymentAddresses } from '../../../contracts/deploy/deploymentAddresses.ts'
import { FAST_START_OPTIONS } from '../../rig/fastStartOptions.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
/** Of an account without coins. */
const POOR_KEY = `0x${'5a'.repeat(32)}` as const
const deployer = privateKeyToAccount(KEY)
const projectRoot = new URL('../../../', import.meta.url).pathname

let directory: string
let node: RunningAnvil
let config: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'deploy-'))
  writeFileSync(join(directory, 'key'), KEY, { mode: 0o600 })
  node = await startAnvil({ chainId: 84532, blockTime: 0 })
  const client = createDeployClient(84532, node.rpc, deployer)
  const { abi, bytecode } = (await readCompiledContracts()).DevnetUsdc
  const hash = await client.deployContract({ abi, bytecode })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  config = join(directory, 'deployment.json')
  writeFileSync(
    config,
    JSON.stringify({
      deployer: deployer.address,
      salt: 'by hand',
      chains: [
        {
          chain: 'base_sepolia',
          owner: deployer.address,
          treasury: deployer.address,
          tokens: [{ token: contractAddress, minEscrow: '10000', maxEscrow: '1000000000' }],
          destinations: ['horizen_testnet'],
          registry: {
            verifier: { kind: 'development', quotingKey: deployer.address },
            operators: [deployer.address],
            measurements: [keccak256(stringToHex('program'))],
            acceptsDebug: true,
          },
          confirmations: 10,
          blockSeconds: 2,
        },
      ],
    }),
  )
})
afterAll(async () => {
  await node.stop()
  rmSync(directory, { recursive: true })
})

type Ended = { code: number | null; text: string }

function run(program: string, ...args: string[]): Promise<Ended> {
  return runWith('key', program, ...args)
}

function runWith(keyFile: string, program: string, ...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [...FAST_START_OPTIONS, `contracts/deploy/${program}.ts`, ...args],
      {
        cwd: projectRoot,
        env: {
          ...process.env,
          RPC_URL_84532: node.rpc,
          DEPLOYER_KEY_FILE: join(directory, keyFile),
        },
      },
    )
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.stderr.on('data', (chunk) => (text += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text }))
  })
}

describe('the programs', () => {
  it('plan, deploy once, find nothing more to do, check, and report differences', async () => {
    const { bridge, vault } = computeDeploymentAddresses(deployer.address, 'by hand')
    const plan = await run('main', '--config', config, '--dry-run')
    expect(plan.code, plan.text).toBe(0)
    expect(plan.text).toContain('base_sepolia (84532): 6 of 6 contracts to create')
    expect(plan.text).toContain(bridge)
    expect(plan.text).toContain('executionWindow')
    const before = await run('checkDeployment', '--config', config)
    expect(before.code).toBe(1)
    expect(before.text).toContain('found no code')

    const first = await run('main', '--config', config)
    expect(first.code, first.text).toBe(0)
    expect(first.text).toContain('created Create3Factory')
    expect(first.text).toContain(vault)
    const second = await run('main', '--config', config)
    expect(second.text).toContain('everything was there')
    const check = await run('checkDeployment', '--config', config)
    const client = createDeployClient(84532, node.rpc, deployer)
    const hash = keccak256((await client.getCode({ address: bridge }))!)
    expect(check).toEqual({
      code: 0,
      text: `base_sepolia (84532): matches the file\n  bridgeCodeHash ${hash}\n`,
    })

    const otherwise = JSON.parse(readFileSync(config, 'utf8'))
    otherwise.chains[0].treasury = '0x000000000000000000000000000000000000bEEF'
    writeFileSync(config, JSON.stringify(otherwise))
    const differing = await run('checkDeployment', '--config', config)
    expect(differing.code).toBe(1)
    expect(differing.text).toContain(
      'treasury(): expected 0x000000000000000000000000000000000000beef',
    )

    otherwise.chains[0].confirmations = 451
    writeFileSync(config, JSON.stringify(otherwise))
    const deep = await run('checkDeployment', '--config', config)
    expect(deep.code).toBe(1)
    expect(deep.text).toContain('longer than a quarter of the execution window')
    expect(plan.text + first.text + check.text).not.toContain(KEY.slice(2))
  })

  it('name a node that doesn’t answer, or a deployer without coins, in one line without keys', async () => {
    const file = JSON.parse(readFileSync(config, 'utf8'))
    file.chains[0].confirmations = 10
    const changed = join(directory, 'changed.json')
    const [chain] = file.chains
    writeFileSync(
      changed,
      JSON.stringify({ ...file, chains: [{ ...chain, rpcUrl: 'http://127.0.0.1:9/access-key' }] }),
    )
    const unreachable = 'chain 84532: HTTP request failed. (fetch failed)\n'
    const plan = await run('main', '--config', changed, '--dry-run')
    expect(plan).toEqual({ code: 1, text: unreachable })
    const check = await run('checkDeployment', '--config', changed)
    expect(check).toEqual({ code: 1, text: unreachable })

    const poor = privateKeyToAccount(POOR_KEY)
    writeFileSync(join(directory, 'poor'), POOR_KEY, { mode: 0o600 })
    writeFileSync(changed, JSON.stringify({ ...file, deployer: poor.address }))
    const refused = await runWith('poor', 'main', '--config', changed)
    expect(refused.code).toBe(1)
    expect(refused.text).toMatch(
      /^chain 84532: the deployer 0x\w{40} can't pay for the gas: send it [^\n]*\n$/,
    )
  })
})
