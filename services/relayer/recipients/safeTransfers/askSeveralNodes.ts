import { sendOnlyTo } from '../../../chain/history/agreedReads.ts'
import type { Provider, RpcAnswer, RpcRequest } from '../../../chain/rpcPool/provider.ts'
import { isRevert } from '../../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../../chain/rpcPool/rpcPool.ts'
import { findMajority } from '../../../chain/transactions/medianAndMajority.ts'

/** Each request's answer, and the nodes that contradict each other where none has a majority. */
type SeveralAnswers<Value> = {
  /** Undefined where the nodes disagree. */
  values: (Value | undefined)[]
  /** Hosts; empty when none disagrees. */
  disagreeing: string[]
}

/**
 * Sends requests to two nodes and, unless both answer the same, to all others: the answer of most counts. With one node,
 * or while one alone answers, that one is believed.
 *
 * @param read an answer's value; equal values have equal texts
 * @throws RpcError when no node answers
 */
export async function askSeveralNodes<Value>(
  pool: RpcPool,
  requests: readonly RpcRequest[],
  totalTimeoutMs: number,
  read: (answer: RpcAnswer | undefined) => Value,
): Promise<SeveralAnswers<Value>> {
  const ready = pool.trusted().filter(({ isBackingOff }) => !isBackingOff)
  const pair = ready.slice(0, 2)
  if (pair.length < 2) return believe(await pool.send(requests, { totalTimeoutMs }))
  const ask = (providers: readonly Provider[]) =>
    Promise.all(
      providers.map(async (provider) => {
        const sending = sendOnlyTo(pool, provider).send(requests, { totalTimeoutMs })
        return sending.catch(() => null)
      }),
    )
  const answered = (await ask(pair)).filter((one) => one !== null)
  const isSame = requests.every((_, at) => {
    const [one, other] = answered.map(({ answers }) => answers[at]).filter(saysSomething)
    return one !== undefined && other !== undefined && read(one) === read(other)
  })
  const others = isSame ? [] : (await ask(ready.slice(2))).filter((one) => one !== null)
  const all = [...answered, ...others]
  if (all.length === 0) return believe(await pool.send(requests, { totalTimeoutMs }))
  const values = requests.map((_, at) => {
    const said = all.map(({ answers }) => answers[at]).filter(saysSomething)
    if (said.length === 0) return read(undefined)
    return findMajority(
      said.map((answer) => ({ value: read(answer) })),
      ({ value }) => String(value),
    )?.value
  })
  const isDisputed = values.includes(undefined)
  return { values, disagreeing: isDisputed ? all.map(({ provider }) => provider.name) : [] }

  function believe({ answers }: { answers: RpcAnswer[] }): SeveralAnswers<Value> {
    return { values: requests.map((_, at) => read(answers[at])), disagreeing: [] }
  }
}

/** A node that lacks the block, for example, says nothing; a revert is the contract's answer. */
function saysSomething(answer: RpcAnswer | undefined): boolean {
  return answer !== undefined && (!('error' in answer) || isRevert(answer.error))
}
