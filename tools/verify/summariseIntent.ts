import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import type { Report } from './verificationReport.ts'

/** What happened to the intent, as far as the events show, in one paragraph. Amounts are token base units. */
export function summariseIntent(report: Report, name: (chainId: number) => string): string {
  const fields = new Map(report.record.map(({ field, value }) => [String(field), String(value)]))
  const known = fields.has('sender')
    ? [offer(report, fields, name), bids(fields), winner(fields), ...deliveries(report, name)]
    : ['The creation is not among the events, so what was offered is not known.']
  return [...known, end(fields)].filter((sentence) => sentence !== null).join(' ')
}

type Fields = ReadonlyMap<string, string>

function offer(report: Report, fields: Fields, name: (chainId: number) => string): string {
  const give = `${fields.get('amountA')} of token ${fields.get('tokenA')}`
  const take = `at least ${fields.get('expectedAmountB')} of token ${fields.get('tokenB')}`
  const destination = name(Number(fields.get('destChainId')))
  return `At ${formatTime(fields, 'createdAt')}, ${fields.get('sender')} offered ${give} on ${name(report.sourceChainId)} for ${take} on ${destination}.`
}

function bids(fields: Fields): string | null {
  const count = Number(fields.get('bidCount') ?? 0)
  if (count === 0) return null
  return `${count === 1 ? 'One bid was' : `${count} bids were`} placed.`
}

function winner(fields: Fields): string | null {
  if (!fields.has('solver')) return null
  return `At ${formatTime(fields, 'depositedAt')}, solver ${fields.get('solver')} took it for ${fields.get('winningAmountB')}.`
}

function deliveries(report: Report, name: (chainId: number) => string): string[] {
  return report.deliveries.map(({ destChainId, amountB, solver, solvedAt, counts }) => {
    const verdict = counts === null ? '' : counts ? ', which counts' : ', which does not count'
    return `At ${formatIsoTimestamp(solvedAt)}, ${solver} delivered ${amountB} on ${name(destChainId)}${verdict}.`
  })
}

function end(fields: Fields): string | null {
  if (fields.has('settledAt')) {
    const money = `the solver got ${fields.get('payout')}, the fee was ${fields.get('fee')}`
    return `It was settled at ${formatTime(fields, 'settledAt')}: ${money}.`
  }
  const back = `the sender got ${fields.get('refundAmount')} back`
  if (fields.has('cancelledAt'))
    return `It was cancelled at ${formatTime(fields, 'cancelledAt')}: ${back}.`
  if (fields.has('refundedAt'))
    return `It was refunded at ${formatTime(fields, 'refundedAt')}: ${back}.`
  return fields.has('sender') ? 'Its end is not among the events.' : null
}

function formatTime(fields: Fields, field: string): string {
  return formatIsoTimestamp(Number(fields.get(field)))
}
