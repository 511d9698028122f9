import { type PublicClient, toHex, zeroAddress } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import { checkVaultLedger } from '../../../services/orders/checkVaultLedger.ts'
import { createVaultSignatureJudge } from '../../../services/orders/execution/vaultSignatureJudge.ts'

const VAULT = '0x00000000000000000000000000000000000000aa'
const TOKEN = '0x00000000000000000000000000000000000000bb'
const SIGNER = '0x0000000000000000000000000000000000000051'
const OWN = '0x00000000000000000000000000000000000000a1'
const FALSE = '0x00000000000000000000000000000000000000a2'

/** Nodes that answer a chain's calls this way, the liar first. */
function chainOf(answers: readonly (bigint | [boolean, string])[]) {
  const clients = answers.map((answer) => {
    const readContract = async ({ functionName }: { functionName: string }) =>
      functionName === 'REGISTRY' ? VAULT : answer
    const call = async () => ({ data: toHex(answer as bigint, { size: 32 }) })
    return { readContract, call } as unknown as PublicClient
  })
  const nodes = { queryAll: createQueryAllProviders(clients) }
  const place = { name: 'base', vault: VAULT, config: {} }
  return { ...place, client: clients[0], nodes, halted: new Set<string>() }
}

describe('given nodes of which one lies, the operator of a key', () => {
  const operatorBy = (...said: [boolean, string][]) =>
    createVaultSignatureJudge(
      { events: {} as never },
      chainOf(said) as never,
      'Fire' as never,
      2,
    ).operatorOf(SIGNER)
  const none: [boolean, string] = [false, zeroAddress]

  it.each<[string, [boolean, string][], string | null]>([
    [
      'is what most say',
      [
        [true, FALSE],
        [true, OWN],
        [true, OWN],
      ],
      OWN,
    ],
    ['is none if most say so', [[true, FALSE], none, none], null],
    [
      'of two that name different ones is one of its own',
      [
        [true, FALSE],
        [true, OWN],
      ],
      SIGNER,
    ],
    ['of two is the one that is named', [none, [true, OWN]], OWN],
    ['is none if none names one', [none, none], null],
  ])('%s', async (_, said, operator) => {
    expect(await operatorBy(...said)).toBe(operator)
  })
})

test.each([
  [[0n, 100n]],
  [[0n, 100n, 100n]],
])('one of nodes that say %s halts no token', async (balances) => {
  const credits = new Map([[TOKEN, 100n]])
  const book = { page: () => [], left: () => new Map(), credits: () => credits }
  const chain = chainOf(balances)
  const events = { shortfall: () => expect.fail('a shortfall') }
  const snapshot = { book, head: { number: 7 } }
  const ledger = await checkVaultLedger({ events } as never, chain as never, snapshot as never, 0)
  expect(ledger.tokens).toMatchObject([{ token: TOKEN, balance: 100n }])
  expect(chain.halted.size).toBe(0)
})
