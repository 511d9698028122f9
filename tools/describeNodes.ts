import type { NodesReport } from '../services/indexer/history/comparedNodes.ts'
import { formatCount } from './progressBar.ts'

/** Lines about the same node that are printed; the JSON has all of them. */
const SHOWN = 3

/**
 * Says which nodes were read and what was believed of them, one line each.
 *
 * @param result what shows an omission when it is compared with that from another node
 */
export function describeNodes(
  { nodes, refused, unconfirmed }: NodesReport,
  result: string,
): string[] {
  const [only] = nodes
  if (nodes.length === 1) {
    return [
      `  1 node (${only}), which was believed: events that it omits or invents may go unnoticed, unless you compare ${result} from another node`,
    ]
  }
  const alone = [...Map.groupBy(unconfirmed, ({ node }) => node)].map(([node, ranges]) => {
    const shown = ranges
      .slice(0, SHOWN)
      .map(({ from, to }) => `${formatCount(from)} to ${formatCount(to)}`)
    const more = ranges.length > SHOWN ? ` and ${ranges.length - SHOWN} more ranges` : ''
    return `  blocks ${shown.join(', ')}${more} come from ${node} alone, which was believed: no other node confirmed them`
  })
  return [
    `  ${nodes.length} nodes compared: ${nodes.join(', ')}`,
    ...refused.map(({ node, reason }) => `  ${node} is WRONG and was left out: ${reason}`),
    ...alone,
  ]
}
