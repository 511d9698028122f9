import type { ChainLog } from '../history/rpcSchemas.ts'

/** Whether two nodes returned the same logs, in any order. */
export function isSameLogs(one: readonly ChainLog[], other: readonly ChainLog[]): boolean {
  const known = new Set(other.map(identity))
  return known.size === one.length && one.every((log) => known.has(identity(log)))
}

const identity = ({ blockHash, logIndex, transactionHash, address, topics, data }: ChainLog) =>
  `${blockHash} ${logIndex} ${transactionHash} ${address} ${topics.join()} ${data}`
