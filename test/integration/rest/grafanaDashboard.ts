import { readFileSync } from 'node:fs'

const FOLDER = new URL('../../../examples/grafana/', import.meta.url)

/** A panel's question to Infinity: a GraphQL query, where its rows are in the answer, and their columns. */
type InfinityTarget = {
  title: string
  url: string
  query: string
  rows: string
  columns: string[]
}

/** What the dashboard of examples/grafana asks its data sources. */
export function readGrafanaDashboard() {
  const { panels } = JSON.parse(read('dashboard.json'))
  const infinity: InfinityTarget[] = []
  const expressions: string[] = []
  const sources = new Set<string>()
  for (const { title, targets } of panels) {
    for (const target of targets) {
      sources.add(target.datasource.uid)
      if (target.expr !== undefined) expressions.push(target.expr)
      else
        infinity.push({
          title,
          url: target.url,
          rows: target.root_selector,
          query: target.url_options.body_graphql_query,
          columns: target.columns.map(({ selector }: { selector: string }) => selector),
        })
    }
  }
  const provisioned = [...read('provisioning/datasources/cairn.yaml').matchAll(/uid: (\S+)/g)]
  return { infinity, expressions, sources, provisioned: provisioned.map(([, uid]) => uid) }
}

/** What a selector such as `tokenAInfo.symbol` leads to; undefined where it leads nowhere. */
export function selectField(value: unknown, selector: string): unknown {
  return selector
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)?.[name], value)
}

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8')
}
