import type { ChainLog } from '../history/rpcSchemas.ts'

/** Whether two nodes returned the same logs, in any order. A copy of one doesn't stand for another. */
export function isSameLogs(one: readonly ChainLog[], other: readonly ChainLog[]): boolean {
  if (one.length !== other.length) return false
  const [names, known] = [new Set(one.map(identity)), new Set(other.map(identity))]
  return names.size === known.size && [...names].every((name) => known.has(name))
}

const identity = ({ blockHash, logIndex, transactionHash, address, topics, data }: ChainLog) =>
  `${blockHash} ${logIndex} ${transactionHash} ${address} ${topics.join()} ${data}`
