import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { FailureReporter } from './test/run/failureReporter.ts'
import { findFilesThatImport } from './test/run/findFilesThatImport.ts'
import { LongestFirst } from './test/run/longestFirst.ts'

/** A busy machine may be ten times as slow. */
const BUSY_TIMEOUT_MS = 240_000

/** How many files run at once; by default, as many as each project below names. */
const WORKERS = Number(process.env.CAIRN_TEST_WORKERS) || null

/**
 * Settings of all suites. Node loads the files itself, as in production, and caches what it compiles: with Vite's
 * module runner, loading alone took 65 s more of processor time.
 */
const common = {
  // A busy machine needs longer than vitest's default of a second.
  expect: { poll: { timeout: 50_000 } },
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: [
    // Fewer collections, without helper threads that would take a core from the other workers: a tenth of the processor time.
    '--single-threaded-gc',
    '--max-semi-space-size=32',
    '--import',
    fileURLToPath(new URL('services/process/modules/speedUpModuleLoading.ts', import.meta.url)),
  ],
}

/**
 * Files share a process, which loads and compiles each module only once. So each file must stop what it starts and undo
 * its global changes; `CAIRN_TEST_ORDER` tries other orders.
 */
const sharesModules = { ...common, isolate: false, setupFiles: ['test/run/fixedSeed.ts'] }

const SERVER_SUITES = 'test/{integration,attack}/**/*.test.ts'

/** Installs and compiles the SDK as its users do: much work that nothing else waits for. */
const PACKAGE_SUITE = 'test/integration/sdk/package.test.ts'

/** Safe's protocol-kit caches contracts, and the node it read them from, until its process ends. */
const FILES_ALONE = findFilesThatImport(
  '@safe-global/protocol-kit',
  SERVER_SUITES,
  fileURLToPath(new URL('.', import.meta.url)),
)

/** Files that mostly wait, and so run at once: four keep two cores busy. */
const mostlyWaits = { maxWorkers: WORKERS ?? 4, sequence: { groupOrder: 1 } }

/** Suites whose files each start their own databases and nodes, on their own ports. */
const startsServers = {
  ...sharesModules,
  ...mostlyWaits,
  testTimeout: BUSY_TIMEOUT_MS,
  hookTimeout: BUSY_TIMEOUT_MS,
}

/**
 * Suites that start the whole system, a dozen processes that mostly wait for auctions. With more than two at once,
 * auctions, which end by the clock, would end before a solver has bid.
 */
const startsDevnets = {
  maxWorkers: WORKERS ?? 2,
  testTimeout: BUSY_TIMEOUT_MS,
  hookTimeout: BUSY_TIMEOUT_MS,
  sequence: { groupOrder: 2 },
}

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/run/runDirectory.ts',
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new FailureReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          ...sharesModules,
          include: ['test/unit/**/*.test.ts'],
          ...mostlyWaits,
          testTimeout: BUSY_TIMEOUT_MS,
        },
      },
      {
        test: {
          name: 'integration',
          include: [SERVER_SUITES],
          exclude: [...configDefaults.exclude, ...FILES_ALONE, PACKAGE_SUITE],
          ...startsServers,
        },
      },
      {
        test: {
          name: 'alone',
          include: FILES_ALONE,
          ...startsServers,
          isolate: true,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          ...common,
          ...startsDevnets,
        },
      },
      {
        test: {
          name: 'package',
          include: [PACKAGE_SUITE],
          ...startsServers,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
