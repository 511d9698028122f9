import type { RpcHeads } from '../rest/operations/rpcHeads.ts'
import type { ReadContext } from '../rest/readContext.ts'

/** The pages' data sources, which are REST's. */
export type ExplorerReadContext = ReadContext & { rpc: RpcHeads }
