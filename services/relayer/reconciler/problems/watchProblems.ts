import type { Address, Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../../src/event/abi/bridgeIntentV2.ts'
import { chainClient } from '../../../chain/chainClient.ts'
import type { ChainConfig } from '../../../config/chains.ts'
import type { Enclave } from '../../../enclave/enclaveInterface.ts'
import { type Repeated, repeat } from '../../../process/repeat.ts'
import type { Db } from '../../../store/database/database.ts'
import { gasProblem } from './gasProblem.ts'
import { keyProblem, readKeyState } from './keyProblem.ts'
import type { RelayerProblem } from './problem.ts'
import { rootProblem } from './rootProblem.ts'

type WatchProblemsOptions = {
  db: Db
  chains: readonly ChainConfig[]
  /** The first opens and pays; all sign. */
  enclaves: readonly [Enclave, ...Enclave[]]
  /** Milliseconds between two looks. Default 15,000. */
  everyMs?: number | undefined
}

/**
 * Checks periodically for what keeps the relayer from working although nothing fails: a root that opens
 * nothing, an account without gas, keys that the registries don't know. A check that can't be made reports
 * nothing: unreachable nodes and enclaves are reported elsewhere.
 */
export function watchProblems(
  options: WatchProblemsOptions,
): Repeated & { found(): RelayerProblem[] } {
  const { chains, everyMs = 15_000 } = options
  const known = new Map<string, RelayerProblem[]>()
  const looks = chains.flatMap((chain) => looksAt(chain, options))
  const watching = repeat(
    everyMs,
    () => {},
    async () => {
      await Promise.allSettled(
        looks.map(async ({ name, look }) => {
          known.set(name, await look())
        }),
      )
    },
  )
  return { found: () => [...known.values()].flat(), stop: () => watching.stop() }
}

type Look = { name: string; look: () => Promise<RelayerProblem[]> }

function looksAt(chain: ChainConfig, { db, enclaves }: WatchProblemsOptions): Look[] {
  const client = chainClient(chain, { timeoutMs: 5_000 })
  const [first] = enclaves
  let registry: Address | null = null
  const registryOf = async () => {
    registry ??= await client.readContract({
      ...{ address: chain.bridge, abi: bridgeIntentV2Abi, functionName: 'REGISTRY' },
    })
    return registry
  }
  const name = (of: string) => `${chain.chainId} ${of}`
  return [
    {
      name: name('root'),
      look: async () => some(await rootProblem(db, chain, await first.publicKeys())),
    },
    {
      name: name('gas'),
      look: async () => {
        const { relayer } = await first.publicKeys()
        const [balance, gasPrice] = await Promise.all([
          client.getBalance({ address: relayer }),
          client.getGasPrice(),
        ])
        return some(gasProblem(chain, relayer, { balance, gasPrice }))
      },
    },
    ...enclaves.map((enclave, position) => ({
      name: name(`key ${position}`),
      look: async () => {
        const { attester } = await enclave.publicKeys()
        const state = await readKeyState(client as never, await registryOf(), attester)
        return some(keyProblem(chain, attester as Hex, state))
      },
    })),
  ]
}

function some(problem: RelayerProblem | null): RelayerProblem[] {
  return problem === null ? [] : [problem]
}
