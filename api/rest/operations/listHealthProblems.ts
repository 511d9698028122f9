import type { LabelledProblem } from '../../http/createProblemMetrics.ts'
import type { Health } from './healthReader.ts'

/**
 * Lists what makes the service `degraded`, and missing prices, which don't. A part is named by its status only where no
 * code says more.
 */
export function listHealthProblems(health: Health): LabelledProblem[] {
  const { chains, database, problems, relayer, push, transfers = [], prices } = health
  const named = [
    ...one('database', '', database),
    ...problems.map(({ code }) => ({ part: 'api', chain: '', code })),
    ...chains.flatMap(({ name, status }) => one('index', name, status)),
    ...(relayer ? relayerProblems(relayer) : []),
    ...(push ? pushProblems(push) : []),
    ...transfers.flatMap(({ chain, status, problem }) =>
      status === 'ok' ? [] : one('transfers', chain, problem ?? status),
    ),
  ]
  if (named.length === 0) named.push(...one('api', '', health.status))
  return [...named, ...one('prices', '', prices?.status ?? 'ok')]
}

function relayerProblems(relayer: NonNullable<Health['relayer']>): LabelledProblem[] {
  const { status, enclave, accounts, problems } = relayer
  const named = [
    ...problems.map(({ chain, code }) => ({ part: 'relayer', chain, code })),
    ...accounts.flatMap(({ chain, problem }) => one('relayer', chain, problem ?? 'ok')),
    ...(status === 'stopped' ? [] : one('enclave', '', enclave)),
  ]
  return named.length > 0 ? named : one('relayer', '', status)
}

function pushProblems({ status, problems }: NonNullable<Health['push']>): LabelledProblem[] {
  const named = problems.map(({ code }) => ({ part: 'push', chain: '', code }))
  return named.length > 0 ? named : one('push', '', status)
}

function one(part: string, chain: string, code: string): LabelledProblem[] {
  return code === 'ok' ? [] : [{ part, chain, code }]
}
