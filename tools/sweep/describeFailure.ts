import { BaseError, HttpRequestError, TimeoutError } from 'viem'
import { hideUrls } from '../../services/log/hideUrls.ts'
import { NonsenseAnswerError } from '../checkedHttpTransport.ts'
import { isUnreachable } from './contractAnswerOrNull.ts'
import { SweepError } from './sweepError.ts'

/** A failure's code and words, without keys and whole URLs. */
export function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof SweepError) return { code: error.code, message: error.message }
  const nonsense = findNonsense(error)
  if (nonsense !== null) {
    const message = `the chain's node answers ${nonsense.method} with nonsense: name another node with --rpc`
    return { code: 'RPC_UNREACHABLE', message }
  }
  if (isUnreachable(error)) {
    const message = `the chain's node stopped answering (${hideUrls(describeUnreachable(error))}); run this again`
    return { code: 'RPC_UNREACHABLE', message }
  }
  // A library's message may quote its input: only the first line, without URLs.
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return { code: 'INTERNAL_ERROR', message: hideUrls(first) }
}

function describeUnreachable(error: unknown): string {
  if (error instanceof TimeoutError || error instanceof HttpRequestError) return error.shortMessage
  return (error as { shortMessage?: string }).shortMessage ?? 'no answer'
}

function findNonsense(error: unknown): NonsenseAnswerError | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((one) => one instanceof NonsenseAnswerError)
  return found instanceof NonsenseAnswerError ? found : null
}
