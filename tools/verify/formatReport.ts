import { formatIsoTimestamp } from '../formatIsoTimestamp.ts'
import { summariseIntent } from './summariseIntent.ts'
import type { Report } from './verificationReport.ts'

const CERTAINTIES = {
  proven: 'proven',
  atLeast: 'at least',
  claimed: 'claimed',
  asked: 'by rpc',
} as const

/** The report as text for a terminal, without colours. Everything in it is checked hex, numbers or names. */
export function formatReport(report: Report): string {
  const name = nameOf(report)
  return [
    ...describeVerdict(report, name),
    '',
    summariseIntent(report, name),
    '',
    'Bridges that wrote the events',
    ...report.bridges.map(
      ({ chainId, address, trusted }) =>
        `  ${name(chainId)}  ${address}  ${trusted ? 'the one you named' : 'compare it with the one you trust'}`,
    ),
    '',
    'Events, by time',
    ...report.events.flatMap((event) => describeEvent(event, name)),
    ...describeRecord(report),
    ...describeDeliveries(report, name),
    ...describeConfirmed(report, name),
    '',
    ...describeLimits(report),
  ].join('\n')
}

/** The proof's result. It depends on each header that no node has confirmed, and on each bridge that the user didn't name. */
function describeVerdict(report: Report, name: (id: number) => string): string[] {
  const intent = `Intent ${report.intentId} of ${name(report.sourceChainId)}`
  const { conditions, proven } = report
  if (conditions.length === 0) {
    const blocks = 'Every block is on its chain, according to the nodes you named.'
    const isUnnamed =
      'holds if the contracts below are the bridges. Compare them, or give --bridge.'
    return [`${intent}: ${proven ? 'the proof holds.' : isUnnamed} ${blocks}`]
  }
  const subject =
    conditions.length === 1 ? 'this block hash is' : `these ${conditions.length} block hashes are`
  return [
    `${intent}: holds if ${subject} on the chain. Compare with a source you trust, or give --rpc:`,
    ...conditions.map(
      ({ chainId, blockNumber, blockHash }) =>
        `  ${name(chainId)} · block ${blockNumber} · ${blockHash}`,
    ),
  ]
}

function nameOf(report: Report): (chainId: number) => string {
  const names = new Map(report.bridges.map(({ chainId, name }) => [chainId, name]))
  return (chainId) => `${names.get(chainId) ?? 'chain'} (${chainId})`
}

function describeEvent(event: Report['events'][number], name: (id: number) => string): string[] {
  const place = `block ${event.blockNumber}, transaction ${event.transactionIndex}, log ${event.logPosition}`
  return [
    `  ${formatIsoTimestamp(event.blockTimestamp)} · ${event.type} · ${name(event.chainId)} · ${place}`,
    ...Object.entries(event.args)
      .filter(([key]) => !IN_THE_TITLE.has(key))
      .map(([key, value]) => `      ${key} ${readable(key, value)}`),
  ]
}

/** The same for every event: the title shows them. */
const IN_THE_TITLE = new Set(['intentId', 'sourceChainId'])

/** Names of fields that hold unix seconds. */
const MOMENT = /(At|Time|Deadline)$/

function readable(field: string, value: string | number): string {
  const isMoment = MOMENT.test(field) && /^\d+$/.test(String(value))
  return isMoment ? `${formatIsoTimestamp(Number(value))} (${value})` : shorten(String(value))
}

/** Recovery blobs are half a kilobyte of ciphertext each. */
function shorten(value: string): string {
  return value.length <= 100 ? value : `${value.slice(0, 40)}… (${value.length / 2 - 1} bytes)`
}

function describeRecord({ record }: Report): string[] {
  if (record.length === 0) {
    return ['', 'The creation is not among the events, so no field of the record is established.']
  }
  return [
    '',
    'Fields of the record',
    ...record
      .filter(({ field }) => !IN_THE_TITLE.has(field))
      .map(
        ({ field, value, certainty }) =>
          `  ${CERTAINTIES[certainty].padEnd(8)}  ${field} ${readable(field, value)}`,
      ),
  ]
}

function describeDeliveries({ deliveries }: Report, name: (id: number) => string): string[] {
  if (deliveries.length === 0) return []
  const verdict = (counts: boolean | null) => {
    if (counts === null) return 'may or may not count: no deposit is among the events'
    return counts ? 'counts: by the winner, in full, in time' : 'does not count'
  }
  return [
    '',
    'Deliveries',
    ...deliveries.map(
      (one) =>
        `  ${name(one.destChainId)} · ${one.amountB} by ${one.solver} · ${verdict(one.counts)}`,
    ),
  ]
}

function describeConfirmed({ headers }: Report, name: (id: number) => string): string[] {
  const confirmed = headers.filter(({ canonicalBy }) => canonicalBy !== null)
  if (confirmed.length === 0) return []
  const lines = confirmed.map(({ chainId, blockNumber, blockHash, canonicalBy, finalized }) => {
    const depth = finalized === null ? '' : finalized ? ', finalized' : ', not finalized yet'
    return `  ${name(chainId)} · block ${blockNumber} · ${blockHash} · canonical by ${canonicalBy}${depth}`
  })
  return ['', 'Blocks that were confirmed', ...lines]
}

function describeLimits(report: Report): string[] {
  return [
    'Not proven: that nothing else happened. A server can leave events out, and "at least" fields may',
    'then be behind. No receipt contains its transaction hash: "claimed", or confirmed by your node ("by rpc").',
    ...(report.isWhole
      ? []
      : ['The server has more pages than these: fetch the rest, and give all of them.']),
  ]
}
