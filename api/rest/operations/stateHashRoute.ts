import { z } from '@hono/zod-openapi'
import { findChainName } from '../../../core/chain/chainNames.ts'
import {
  type ChainStateHash,
  readStateHashes,
} from '../../../services/store/chains/readStateHashes.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { chainId, chainName, count, moment, text } from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'

const chainSchema = z
  .object({
    chainId,
    chain: chainName,
    blockNumber: count.describe('The indexed head. The hash is as of the end of this block.'),
    blockTimestamp: moment,
    stateHash: text
      .nullable()
      .describe('A hash over all the chain’s rows. Null until it has been computed once.'),
    rows: z.record(z.string(), count).nullable().describe('Rows by table.'),
  })
  .openapi('StateHash')

const answer = success({ chains: z.array(chainSchema) })

/** `GET /state-hash`: a hash to compare with an auditor's replay of the same blocks. */
export function addStateHashRoute(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/state-hash',
    tag: 'Service',
    summary: 'One hash per chain over all its rows',
    description:
      '`npm run replay -- --as-of <chain>=<blockNumber>` prints the same hash. Omits chains that are being indexed for the first time or catching up after a restart.',
    answer,
    failures: [503],
    isConditional: true,
    handler: async () => {
      await chainsToRead(reads)
      return { chains: (await readStateHashes(reads.db)).map(renderChain) }
    },
  })
}

function renderChain({ chainId: id, block, stateHash, rows }: ChainStateHash) {
  return {
    chainId: String(id),
    chain: findChainName(id),
    blockNumber: block.number,
    blockTimestamp: toIsoTime(block.timestamp),
    stateHash,
    rows,
  }
}
