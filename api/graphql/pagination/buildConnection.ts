import type { Page } from './parsePageArguments.ts'

/** Source object of a connection type. A function runs only if its field is selected. */
export type Connection<Node> = {
  nodes: readonly Node[]
  edges: () => { node: Node; cursor: () => string }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: () => string | null
    endCursor: () => string | null
  }
}

/** @param rows the page in the list's order, with one extra row if more rows follow */
export function buildConnection<Node>(
  rows: readonly Node[],
  { size, fromEnd, after, before }: Page<unknown>,
  cursorOf: (node: Node) => string,
): Connection<Node> {
  const hasMore = rows.length > size
  const nodes = hasMore ? (fromEnd ? rows.slice(-size) : rows.slice(0, size)) : rows
  const cursorAt = (index: number) => {
    const node = nodes.at(index)
    return node === undefined ? null : cursorOf(node)
  }
  return {
    nodes,
    edges: () => nodes.map((node) => ({ node, cursor: () => cursorOf(node) })),
    pageInfo: {
      hasNextPage: fromEnd ? before !== undefined : hasMore,
      hasPreviousPage: fromEnd ? hasMore : after !== undefined,
      startCursor: () => cursorAt(0),
      endCursor: () => cursorAt(-1),
    },
  }
}
