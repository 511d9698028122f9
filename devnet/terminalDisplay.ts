import { STATUSES } from '../core/intent/status.ts'
import { ORDER_STATUSES } from '../core/order/orderStatus.ts'
import type { DevnetFile } from './devnetFile.ts'
import type { ChainOverview, Overview } from './overviewReader.ts'

/** Notices shown below the overview. */
const NOTICES = 3
/** Milliseconds between lines when the output is not a terminal. */
const LINE_EVERY = 15_000
/** Blocks by which a caught-up index may trail: heads are read before it. */
const CLOSE = 2

/** The devnet's screen: redrawn in place on a terminal, otherwise a plain line now and then. */
export type Screen = {
  /** A stage of the start. */
  stage(text: string): void
  notice(text: string): void
  /** The permanent part: URLs and what to try next. */
  welcome(text: string): void
  overview(overview: Overview): void
  /** A final message; nothing is redrawn afterwards. */
  close(text: string): void
}

type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }

export function createScreen(output: Output, now: () => number = () => performance.now()): Screen {
  return output.isTTY ? terminalScreen(output) : plainScreen(output, now)
}

function plainScreen(output: Output, now: () => number): Screen {
  const line = (text: string) => output.write(`${text}\n`)
  let shownAt: number | null = null
  let since: number | null = null
  let last = ''
  const said = new Set<string>()
  return {
    stage: line,
    notice: (text) => {
      if (!said.has(text)) line(`note: ${text}`)
      said.add(text)
    },
    welcome: line,
    overview: (overview) => {
      const text = overviewLines(overview).join(' | ')
      since ??= now()
      // Counts are partial while the index is filling, so the first line waits for it, up to a limit.
      const isFirst = shownAt === null && overview.chains.every(isIndexed)
      if (text === last || !(isFirst || now() - (shownAt ?? since) >= LINE_EVERY)) return
      line(text)
      last = text
      shownAt = now()
    },
    close: line,
  }
}

function terminalScreen(output: Output): Screen {
  const notices: string[] = []
  let live: string[] = []
  let drawn = 0
  const draw = () => {
    // A pseudo-terminal without a size has 0 columns.
    const width = (output.columns || 80) - 1
    const lines = [...live, ...notices.slice(-NOTICES).map((text) => `note: ${text}`)]
    // Move up to the first line of the last drawing and clear to the end of the screen.
    const rewind = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : ''
    const rows = lines.flatMap((line) => wrapLine(line, width))
    output.write(rewind + rows.map((row) => `${row}\n`).join(''))
    drawn = rows.length
  }
  const settle = (text: string) => {
    live = []
    const kept = notices.splice(0)
    draw()
    output.write(`${text}\n`)
    drawn = 0
    notices.push(...kept)
  }
  return {
    stage: (text) => {
      live = [`${text} …`]
      draw()
    },
    notice: (text) => {
      if (!notices.includes(text)) notices.push(text)
      draw()
    },
    welcome: settle,
    overview: (overview) => {
      live = overviewLines(overview)
      draw()
    },
    close: (text) => {
      draw()
      output.write(`${text}\n`)
      drawn = 0
    },
  }
}

/** Breaks a line at spaces: the terminal's own breaks would spoil the redrawing. */
function wrapLine(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  const space = line.lastIndexOf(' ', width)
  const end = space > 0 ? space : width
  return [line.slice(0, end), ...wrapLine(line.slice(end).trimStart(), width)]
}

/** Whether a chain's index is at the head. */
function isIndexed({ head, indexed }: ChainOverview): boolean {
  return head !== null && indexed !== null && head - indexed <= CLOSE
}

function overviewLines({ counts, orders, chains }: Overview): string[] {
  const total = STATUSES.reduce((sum, status) => sum + counts[status], 0)
  const intents = STATUSES.map((status) => `${counts[status]} ${status}`).join(' · ')
  const scheduled = ORDER_STATUSES.map((status) => `${orders[status]} ${status}`).join(' · ')
  return [
    `${total} intents: ${intents}`,
    `scheduled orders: ${scheduled}`,
    ...chains.map(({ name, head, indexed, problem }) => {
      const place = indexed === null ? 'first backfill' : `indexed to block ${indexed}`
      return `${name}: ${place}, head ${head ?? 'unknown'}${problem ? ` (${problem})` : ''}`
    }),
  ]
}

/** What a newcomer sees first: URLs, and commands to copy. */
export function welcomeText(file: DevnetFile, directory: string): string {
  const { api, graphql, orders } = file
  const query =
    '{ intents(first: 3) { totalCount nodes { intentId status sourceChain destChain } } }'
  return `
Cairn is running. Press Ctrl-C to stop; its state stays in ${directory}.

  Explorer  ${api}/
  REST      ${api}
  OpenAPI   ${api}/docs
  GraphiQL  ${graphql}
${orders ? `  Orders    ${orders}/docs\n` : ''}${file.solvers.map(({ name, url }) => `  ${name.padEnd(9)} ${url}/status`).join('\n')}
${file.chains.map(({ name, rpc }) => `  ${name.padEnd(16)} ${rpc}`).join('\n')}
  addresses, keys and database: ${directory}/devnet.json
  (accounts.guests in it are funded accounts for you to use)

Try next
  npm run example:send${directory === '.cairn' ? '' : ` -- --directory ${directory}`}
  curl -s '${api}/health'
  curl -s '${api}/intents?status=failed&limit=2'
  curl -s '${api}/batches'
  curl -s '${graphql}' -H 'content-type: application/json' -d '${JSON.stringify({ query })}'
`
}
