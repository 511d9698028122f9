import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { createOrderMetrics } from '../../../api/orderService/orderMetrics.ts'
import { listHealthProblems } from '../../../api/rest/operations/listHealthProblems.ts'
import { writeRoleHeartbeats } from '../../../services/store/roles/writeRoleHeartbeats.ts'
import { unpackDebianPackages } from '../../rig/unpackDebianPackages.ts'
import { readGrafanaDashboard, selectField } from './grafanaDashboard.ts'
import { BASE, type SeededApi, startSeededApi } from './seededApi.ts'

let api: SeededApi
let text: string

beforeAll(async () => {
  const routes = [createGraphqlRoutes({ onProblem: () => {} })]
  api = await startSeededApi({ intents: 20, routes, expectsReactions: true })
  await api.get('/intents')
  await api.get('/nowhere')
  text = (await api.get('/metrics')).text
})

afterAll(() => api?.stop())

type Metric = { type: string; help: string; samples: string[] }

/** The text format, as far as we use it. */
function parse(exposition: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>()
  for (const line of exposition.split('\n').filter(Boolean)) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'HELP') metrics.set(name, { type: '', help: rest, samples: [] })
    else if (kind === 'TYPE') metrics.get(name)!.type = rest
    else {
      const own = /^[^{ ]+/.exec(line)![0]
      const base = metrics.has(own) ? own : own.replace(/_(bucket|sum|count)$/, '')
      metrics.get(base)!.samples.push(line)
    }
  }
  return metrics
}

/** What `promtool check metrics` complains of. */
test('counters, and only they, end in _total; all metrics have a help text', () => {
  for (const [name, { type, help, samples }] of parse(text)) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    expect(help, name).not.toBe('')
    expect(new Set(samples.map((line) => line.replace(/ \S+$/, ''))).size, name).toBe(
      samples.length,
    )
    if (type !== 'histogram') expect(name).not.toMatch(/_(count|sum|bucket)$/)
  }
  for (const name of [
    ...['cairn_cache_hits_total', 'cairn_cache_misses_total', 'cairn_http_failures_total'],
    ...['cairn_reactions_done_total', 'cairn_sponsored_transactions_total'],
    ...['cairn_transfers_failures_total', 'cairn_graphql_errors_total'],
  ])
    expect([name, parse(text).get(name)?.type]).toEqual([name, 'counter'])
})

/** The machine's own, or Debian's; elsewhere the test before this one has to do. */
function findPromtool(): string | null {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool'
  const files = unpackDebianPackages('prometheus')
  return files && join(files, 'usr/bin/promtool')
}

test('promtool reports no problems', ({ skip }) => {
  const promtool = findPromtool()
  if (promtool === null) return skip('no promtool here, and no apt to get it by')
  const check = (input: string) => {
    const run = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' })
    return [run.status, run.stdout, run.stderr]
  }
  expect(check(text)).toEqual([0, '', ''])
  // It does complain where there is something to complain of.
  expect(check('# TYPE a counter\na 1\n')[0]).not.toBe(0)
})

test('metrics cover the process, Node and the build', () => {
  const metrics = parse(text)
  for (const name of [
    ...['process_cpu_user_seconds_total', 'process_resident_memory_bytes'],
    ...['process_start_time_seconds', 'nodejs_eventloop_lag_p99_seconds'],
    ...['nodejs_heap_size_used_bytes', 'nodejs_gc_duration_seconds', 'nodejs_version_info'],
  ])
    expect([name, metrics.has(name)]).toEqual([name, true])
  const [build] = metrics.get('cairn_build_info')?.samples ?? []
  const { node } = process.versions
  expect(build).toMatch(
    new RegExp(
      `^cairn_build_info\\{version="\\d.*",revision="(\\w{40}|unknown)",node="${node}"\\} 1$`,
    ),
  )
})

test('GraphQL errors are counted once each, by code, whatever the status', async () => {
  const ask = (query: string) => api.post('/graphql', { query })
  await ask('{ nonsense }')
  await ask('{ intents(first: 0) { nodes { intentId } } }')
  await ask('{ intents(first: 0) { nodes { intentId } } }')
  await ask('{')
  await ask('{ __typename }')
  const samples = parse((await api.get('/metrics')).text).get('cairn_graphql_errors_total')?.samples
  const counts = (samples ?? []).map((line) => line.replace(/^.*code="(\w+)"\} /, '$1 '))
  expect(counts.toSorted()).toEqual([
    'BAD_USER_INPUT 2',
    'GRAPHQL_PARSE_FAILED 1',
    'GRAPHQL_VALIDATION_FAILED 1',
  ])
})

test('metrics don’t tell how many recipients an open intent has', async () => {
  // Anyone may read them right before and after an anchor.
  const safes = { followed: 9, quiet: 0, behind: 0 }
  const report = { chainId: BASE, isLeading: true, latest: null, problem: null }
  const beating = writeRoleHeartbeats(api.database.db, 'transfers', () => ({
    chains: [{ ...report, safes, caughtUpAt: null, failures: 0 }],
  }))
  onTestFinished(() => beating.stop())
  const shown = async () => {
    const { samples = [] } =
      parse((await api.get('/metrics')).text).get('cairn_transfers_safes') ?? {}
    return samples.map((line) => line.replace(/^.*state="(\w+)"\} /, '$1 ')).toSorted()
  }
  await expect.poll(shown).toEqual(['behind 0', 'followed 16', 'quiet 0'])
  // Seven recipients, of class 8.
  safes.behind = 7
  await expect.poll(shown).toEqual(['behind 8', 'followed 16', 'quiet 0'])
  Object.assign(safes, { followed: 16, behind: 0 })
  await expect.poll(shown).toEqual(['behind 0', 'followed 16', 'quiet 0'])
})

test('metrics name each problem of GET /health, so that one alert covers all', async () => {
  const { status, relayer } = (await api.get('/health')).body
  expect([status, relayer.status]).toEqual(['degraded', 'stopped'])
  const served = parse(text)
  expect(served.get('cairn_healthy')?.samples).toEqual(['cairn_healthy 0'])
  expect(served.get('cairn_problem')?.samples).toContain(
    'cairn_problem{part="relayer",chain="",code="stopped"} 1',
  )
})

test('a scrape waits for a slow database once, not for each part of GET /health in turn', async () => {
  const locker = await api.postgres.connect()
  await locker.query('begin')
  await locker.query('lock table app.role_status, app.reaction, app.push_cursor')
  let seconds = 0
  const scrape = async () => {
    const began = performance.now()
    const problems = parse((await api.get('/metrics')).text).get('cairn_problem')?.samples
    seconds = (performance.now() - began) / 1_000
    return problems
  }
  // The answer before may still be fresh.
  const slow = 'cairn_problem{part="database",chain="",code="slow"} 1'
  await expect.poll(scrape, { timeout: 60_000 }).toContain(slow)
  await locker.query('rollback')
  // PostgreSQL cancels a statement after five seconds. Prometheus waits for ten.
  expect(seconds).toBeLessThan(10)
})

test('a problem is named by its code, and by a part’s status where no code says more', () => {
  const chains = [
    { name: 'base', status: 'ok' },
    { name: 'rari', status: 'stalled' },
  ]
  const well = { status: 'ok', chains, database: 'ok', problems: [] }
  const relayer = { status: 'degraded', enclave: 'ok', accounts: [], problems: [] }
  const list = (more: object) =>
    listHealthProblems({ ...well, ...more } as never).map((one) => Object.values(one).join(' '))
  expect(list({})).toEqual(['index rari stalled'])
  expect(list({ chains: [], relayer })).toEqual(['relayer  degraded'])
  expect(list({ chains: [], prices: { status: 'stale' } })).toEqual(['prices  stale'])
  expect(
    list({
      chains: [],
      database: 'slow',
      problems: [{ code: 'CLOCKS_DIFFER' }],
      relayer: {
        ...relayer,
        enclave: 'unreachable',
        accounts: [
          { chain: 'base', problem: null },
          { chain: 'rari', problem: 'FEE_CAP' },
        ],
        problems: [{ chain: 'base', code: 'NO_GAS' }],
      },
      push: { status: 'stopped', problems: [{ code: 'PUSH_STOPPED' }] },
      transfers: [
        { chain: 'base', status: 'ok', problem: null },
        { chain: 'rari', status: 'behind', problem: null },
      ],
    }),
  ).toEqual([
    'database  slow',
    'api  CLOCKS_DIFFER',
    'relayer base NO_GAS',
    'relayer rari FEE_CAP',
    'enclave  unreachable',
    'push  PUSH_STOPPED',
    'transfers rari behind',
  ])
})

test('a route’s failures are counted from 0, so that the first one shows as an increase', async () => {
  const { samples = [] } = parse(text).get('cairn_http_failures_total') ?? {}
  expect(samples).toContain('cairn_http_failures_total{route="/intents"} 0')
})

describe('the alerts', () => {
  const file = fileURLToPath(new URL('../../../examples/grafana/alerts.yml', import.meta.url))

  test('use existing metrics', () => {
    const names = readFileSync(file, 'utf8').match(/\bcairn_\w+/g) ?? []
    const ofOrders = createOrderMetrics({} as never).map(({ name }) => name)
    const served = new Set([...parse(text).keys(), ...ofOrders])
    expect(new Set(names).size).toBe(11)
    for (const name of names) expect([name, served.has(name)]).toEqual([name, true])
  })

  test('fire when they should, and only then', ({ skip }) => {
    const promtool = findPromtool()
    if (promtool === null) return skip('no promtool here, and no apt to get it by')
    // Series by the minute, when the alert is still quiet, and when it fires.
    const cases = [
      ['CairnDown', { 'up{job="cairn"}': '1 1 1 0 0 0 0' }, 4, 6],
      ['CairnDown', { 'up{job="another"}': '1x9' }, 1, 2],
      ['CairnProblem', { 'cairn_problem{part="relayer",code="NO_GAS"}': '_ _ 1x20' }, 6, 7],
      ['CairnHearsNothing', { 'cairn_change_feed_connected{instance="api"}': '1 0x20' }, 5, 7],
      ['CairnNodeDown', { 'cairn_node_head_block{chain="base",node="rpc#1"}': '7 7 0x20' }, 11, 13],
      ['CairnFailures', { 'cairn_http_failures_total{route="/intents"}': '0x9 0+60x30' }, 18, 25],
      ['CairnGasRunsOut', { 'cairn_relayer_balance_wei{chain="base"}': '1000-1x300' }, 58, 120],
      ['CairnGasRunsOut', { 'cairn_orders_gas_wei{chain="base"}': '1000000-1x300' }, 300, null],
      ['CairnOrdersLate', { 'cairn_orders_overdue_seconds{chain="base"}': '299 301x20' }, 5, 7],
      [
        'CairnUnpaidGas',
        {
          'cairn_orders_unpaid_gas{chain="base"}': '29 31 31',
          'cairn_orders_unpaid_gas_limit{chain="base"}': '60x2',
        },
        0,
        1,
      ],
    ] as const
    const tests = cases.map(([alertname, series, quiet, firing]) => {
      const input_series = Object.entries(series).map(([name, values]) => {
        return { series: name, values }
      })
      const expr = `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`
      const promql_expr_test = [quiet, firing].flatMap((minutes, value) =>
        minutes === null
          ? []
          : [{ eval_time: `${minutes}m`, expr, exp_samples: [{ labels: '{}', value }] }],
      )
      return { interval: '1m', input_series, promql_expr_test }
    })
    const directory = mkdtempSync(join(tmpdir(), 'cairn-alerts-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const spec = join(directory, 'tests.json')
    writeFileSync(spec, JSON.stringify({ rule_files: [file], evaluation_interval: '1m', tests }))
    const run = spawnSync(promtool, ['test', 'rules', spec], { encoding: 'utf8' })
    expect([run.status, run.stdout, run.stderr]).toEqual([0, expect.any(String), ''])
  })
})

describe('the Grafana dashboard', () => {
  const { infinity, expressions, sources, provisioned } = readGrafanaDashboard()

  test('uses only provisioned data sources and existing metrics', () => {
    expect([...sources].sort()).toEqual(provisioned.toSorted())
    const served = parse(text)
    const names = expressions.flatMap((expression) => expression.match(/\bcairn_\w+/g) ?? [])
    expect(names.length).toBeGreaterThanOrEqual(expressions.length)
    for (const name of names) {
      const base = name.replace(/_(bucket|count|sum)$/, '')
      expect([name, served.has(name) || served.get(base)?.type === 'histogram']).toEqual([
        name,
        true,
      ])
    }
  })

  test('shows one line where several APIs report the same, and counts it once', () => {
    for (const expression of expressions) {
      expect(expression).toMatch(/^(sum|max|histogram_quantile)\b/)
      // A process counts its own answers and connections; the rest is read from the database.
      if (!/_(total|count|bucket)\[|cairn_database_/.test(expression))
        expect(expression).toMatch(/\bmax\b.*\bcairn_/)
    }
  })

  test('has expressions that Prometheus can parse', ({ skip }) => {
    const promtool = findPromtool()
    if (promtool === null) return skip('no promtool here, and no apt to get it by')
    // JSON is YAML. Grafana puts an interval in the place of its variable.
    const rules = expressions.map((expression, at) => {
      return { record: `asked:${at}`, expr: expression.replaceAll('$__rate_interval', '5m') }
    })
    const directory = mkdtempSync(join(tmpdir(), 'cairn-dashboard-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const file = join(directory, 'rules.json')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const run = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })
    expect([run.status, run.stderr]).toEqual([0, ''])
    expect(run.stdout).toContain(`${rules.length} rules found`)
  })

  test.each(infinity)('$title: the API serves its query', async ({ url, query, rows, columns }) => {
    const { status, body } = await api.post(url, { query })
    expect([status, body.errors]).toEqual([200, undefined])
    const found = [selectField(body, rows)].flat()
    expect(found.length).toBeGreaterThan(0)
    for (const row of found)
      for (const column of columns)
        expect([column, selectField(row, column) !== undefined]).toEqual([column, true])
  })
})
