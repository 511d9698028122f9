import type { Report } from './report.ts'

const STANDINGS = {
  proven: 'proven',
  atLeast: 'at least',
  claimed: 'claimed',
  asked: 'by rpc',
} as const

/** The report as text for a terminal, without colours. Everything in it is checked hex, numbers or names. */
export function printReport(report: Report): string {
  const name = nameOf(report)
  return [
    `Intent ${report.intentId} of ${name(report.sourceChainId)}: the proof holds.`,
    '',
    'Bridges that wrote the events',
    ...report.bridges.map(
      ({ chainId, address, trusted }) =>
        `  ${name(chainId)}  ${address}  ${trusted ? 'the one you named' : 'compare it with the one you trust'}`,
    ),
    '',
    'Events',
    ...report.events.flatMap((event) => describeEvent(event, name)),
    ...describeRecord(report),
    ...describeDeliveries(report, name),
    '',
    ...describeHeaders(report, name),
    '',
    ...describeLimits(report),
  ].join('\n')
}

function nameOf(report: Report): (chainId: number) => string {
  const names = new Map(report.bridges.map(({ chainId, name }) => [chainId, name]))
  return (chainId) => `${names.get(chainId) ?? 'chain'} (${chainId})`
}

function describeEvent(event: Report['events'][number], name: (id: number) => string): string[] {
  const time = new Date(event.blockTimestamp * 1_000).toISOString().replace('.000', '')
  const place = `block ${event.blockNumber}, transaction ${event.transactionIndex}, log ${event.logPosition}`
  return [
    `  ${event.type} · ${name(event.chainId)} · ${place} · ${time}`,
    ...Object.entries(event.args).map(([key, value]) => `      ${key} ${shorten(value)}`),
  ]
}

/** Recovery blobs are half a kilobyte of ciphertext each. */
function shorten(value: string): string {
  return value.length <= 100 ? value : `${value.slice(0, 40)}… (${value.length / 2 - 1} bytes)`
}

function describeRecord({ record }: Report): string[] {
  if (record.length === 0) {
    return ['', 'The creation is not among the events: no field of the record is established.']
  }
  return [
    '',
    'Fields of the record',
    ...record.map(
      ({ field, value, standing }) => `  ${STANDINGS[standing].padEnd(8)}  ${field} ${value}`,
    ),
  ]
}

function describeDeliveries({ deliveries }: Report, name: (id: number) => string): string[] {
  if (deliveries.length === 0) return []
  const verdict = (counts: boolean | null) => {
    if (counts === null) return 'whether it counts is open: no deposit is among the events'
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

function describeHeaders({ headers }: Report, name: (id: number) => string): string[] {
  const open = headers.some(({ canonicalBy }) => canonicalBy === null)
  const lines = headers.map(({ chainId, blockNumber, blockHash, canonicalBy, finalized }) => {
    const depth = finalized === null ? '' : finalized ? ', finalized' : ', not finalized yet'
    const verdict = canonicalBy === null ? 'compare' : `canonical by ${canonicalBy}${depth}`
    return `  ${name(chainId)} · block ${blockNumber} · ${blockHash} · ${verdict}`
  })
  return [
    open
      ? 'Headers: compare each hash marked "compare" with a source that you trust, or give --rpc'
      : 'Headers',
    ...lines,
  ]
}

function describeLimits(report: Report): string[] {
  return [
    'Not proven: that nothing else happened. A server can leave events out, and "at least" fields may',
    'then be behind. Transaction hashes are in no receipt: "claimed", or told by your server ("by rpc").',
    ...(report.isWhole ? [] : ['These are not all the pages that the server has.']),
  ]
}
