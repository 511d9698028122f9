import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CREATE3_FACTORY, create3Address } from '../../../contracts/deploy/create3.ts'
import { computeDeploymentAddresses } from '../../../contracts/deploy/deploymentAddresses.ts'
import { readDeploymentFile } from '../../../contracts/deploy/deploymentFile.ts'
import { FORFEIT_RECEIVER } from '../../../contracts/deploy/deploymentSettings.ts'

const EXAMPLE = new URL('../../../contracts/deploy/example.json', import.meta.url).pathname
const environment = { RPC_URL_8453: 'https://base.example', RPC_URL_1: 'https://eth.example' }
let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'deployment-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

// biome-ignore lint/suspicious/noExplicitAny: the tests spoil whatever they like
type Spoilable = any

/** What is wrong with the example once it has been spoiled. */
function problemsOf(spoil: (file: Spoilable) => void, urls: object = environment): string {
  const file = JSON.parse(readFileSync(EXAMPLE, 'utf8'))
  spoil(file)
  const path = join(directory, 'deployment.json')
  writeFileSync(path, JSON.stringify(file))
  try {
    readDeploymentFile(path, urls as Record<string, string>)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('a deployment file', () => {
  it('merges common values with each chain’s own', () => {
    const [base, ethereum] = readDeploymentFile(EXAMPLE, environment)
    expect(base?.rpcUrl).toBe('https://base.example')
    expect(base?.deployment).toMatchObject({
      chainId: 8453,
      salt: 'cairn',
      forfeitReceiver: FORFEIT_RECEIVER,
      windows: { minAuctionDuration: 20, executionWindow: 3_600, settlementGrace: 259_200 },
      destinations: [1],
      vault: { fundingWindow: 600, closeDelay: 86_400 },
      gateway: {
        permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
        weth: '0x4200000000000000000000000000000000000006',
      },
    })
    expect(base?.deployment.tokens[0]).toMatchObject({ maxEscrow: 100_000_000_000n, quorum: 2 })
    expect(ethereum?.deployment.windows).toMatchObject({ minAuctionDuration: 120, firmSeconds: 60 })
    expect(ethereum?.deployment.registry.operators).toHaveLength(3)
  })

  it('names every problem at once', () => {
    const text = problemsOf((file) => {
      file.salt = ''
      file.chains[0].tokens[0].token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
      file.chains[1].destinations = ['mars_mainnet']
      file.chains[1].gasLimit = 1
    })
    expect(text).toContain('salt: expected a text')
    expect(text).toContain('chains.0.tokens.0.token: expected an address')
    expect(text).toContain('chains.1.destinations.0')
    expect(text).toContain('gasLimit')
  })

  it('refuses a confirmation depth above a quarter of the execution window', () => {
    const depth = (blocks: number) =>
      problemsOf((file) => {
        file.chains[1].confirmations = blocks
      })
    expect(depth(75)).toBe('')
    expect(depth(76)).toContain('76 confirmations of 12 s each take longer than a quarter')
  })

  it.each([
    [
      'fewer operators than signatures',
      (f: Spoilable) => (f.chains[0].tokens[0].quorum = 4),
      '4 signatures of different operators',
    ],
    [
      'a minimum that rounds bonds away',
      (f: Spoilable) => (f.chains[0].tokens[0].minEscrow = '9999'),
      'minEscrow',
    ],
    [
      'a maximum below the minimum',
      (f: Spoilable) => (f.chains[0].tokens[0].maxEscrow = '4999999'),
      'minEscrow <= maxEscrow',
    ],
    [
      'itself as a destination',
      (f: Spoilable) => f.chains[0].destinations.push(8453),
      'be its own destination',
    ],
    [
      'a token twice',
      (f: Spoilable) => f.chains[0].tokens.push(f.chains[0].tokens[0]),
      'tokens: expected each once',
    ],
    [
      'a chain twice',
      (f: Spoilable) => f.chains.push(f.chains[0]),
      'chains: expected each chain once',
    ],
    [
      'delays shorter than an open intent',
      (f: Spoilable) => (f.common.registry.additionDelay = 262_800),
      'additionDelay: expected more than',
    ],
    [
      'development attestation on a mainnet',
      (f: Spoilable) =>
        (f.common.registry.verifier = { kind: 'development', quotingKey: f.deployer }),
      'test networks only',
    ],
    [
      'debug evidence on a mainnet',
      (f: Spoilable) => (f.common.registry.acceptsDebug = true),
      'test networks only',
    ],
  ])('refuses %s', (_, spoil, expected) => {
    expect(problemsOf(spoil)).toContain(expected)
  })

  it('refuses a registry that no development enclave could ever enter', () => {
    const problems = (acceptsDebug: boolean) =>
      problemsOf(
        (file) => {
          file.chains[0].chain = 'base_sepolia'
          const verifier = { kind: 'development', quotingKey: file.deployer }
          file.chains[0].registry = { verifier, acceptsDebug }
        },
        { RPC_URL_84532: 'https://base.example', RPC_URL_1: 'https://eth.example' },
      )
    expect(problems(false)).toContain('chain 84532: registry.acceptsDebug: expected true')
    expect(problems(true)).toBe('')
  })

  it('names a chain without a node', () => {
    expect(problemsOf(() => {}, {})).toContain('RPC_URL_8453')
  })

  it('reports a missing file, or one that is not JSON', () => {
    expect(() => readDeploymentFile(join(directory, 'none.json'))).toThrow('ENOENT')
  })
})

describe('addresses', () => {
  it('never change', () => {
    const salt = `0x${'22'.padStart(64, '0')}` as const
    expect(
      create3Address('0x0000000000000000000000000000000000000011', salt),
    ).toMatchInlineSnapshot(`"0x0787ac8A93050C615C0879fd080528c0714fd6aa"`)
    expect(CREATE3_FACTORY).toMatchInlineSnapshot(`"0x4677DC7bEFD4451C0DFBb57433bD8B2EEE5e4134"`)
    expect(
      computeDeploymentAddresses('0x1111111111111111111111111111111111111111', 'cairn'),
    ).toMatchInlineSnapshot(`
      {
        "bridge": "0x951C27A62CD18f5B27E2Fc254AD4B205bcfbBfD8",
        "factory": "0x4677DC7bEFD4451C0DFBb57433bD8B2EEE5e4134",
        "gateway": "0x0d7533e9E652adaeCE7910E39d7C3eCbBA769EDf",
        "registry": "0xa685a01bCaEA69f56Cc6e0ac3891296d24C7714A",
        "vault": "0x8E080f9B3A1cf4c40e54B77392C71ACF5E916841",
        "verifier": "0x9f905E4bc282656B3B16C963B673A5c1395bA948",
      }
    `)
  })
})
