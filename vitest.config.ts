import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { BACKGROUND_FILES } from './test/run/backgroundTestFiles.ts'
import { FailureReporter } from './test/run/failureReporter.ts'
import { findFilesThatImport } from './test/run/findFilesThatImport.ts'
import { LongestFirst } from './test/run/longestFirst.ts'

/** Files side by side, here and below: as many as this says, if it is set. */
const WORKERS = Number(process.env.CAIRN_TEST_WORKERS) || null

/**
 * For all suites. Node loads the files itself, as it does in production, and keeps what it has compiled: with
 * Vite's module runner, loading alone took 65 s more of processor time.
 */
const common = {
  // What is polled for comes when the machine has time for it: vitest itself waits a second.
  expect: { poll: { timeout: 50_000 } },
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: [
    '--import',
    fileURLToPath(new URL('services/process/modules/speedUpModuleLoading.ts', import.meta.url)),
  ],
}

/**
 * A process loads each module once for all of its files, and what it has compiled stays warm. So whatever a file
 * starts it ends, and whatever it changes globally it undoes: `CAIRN_TEST_ORDER` tries other orders.
 */
const sharesModules = { ...common, isolate: false, setupFiles: ['test/run/fixedSeed.ts'] }

const SERVER_SUITES = 'test/{integration,attack}/**/*.test.ts'

/** Safe's protocol-kit remembers contracts, and the node that it read them from, for as long as its process lives. */
const FILES_ALONE = findFilesThatImport(
  '@safe-global/protocol-kit',
  SERVER_SUITES,
  fileURLToPath(new URL('.', import.meta.url)),
)

/**
 * Suites that start databases and nodes, each file with its own and on ports of its own. They wait
 * more than they compute: three keep two cores busy.
 */
const startsServers = {
  ...sharesModules,
  maxWorkers: WORKERS ?? 3,
  // A busy machine may be ten times as slow.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  sequence: { groupOrder: 2 },
}

/**
 * Suites that start the whole system, a dozen processes that wait for auctions most of the time: two at
 * once. With a third, auctions, which end by the clock, end before a solver has bid.
 */
const startsDevnets = {
  maxWorkers: WORKERS ?? 2,
  testTimeout: 240_000,
  hookTimeout: 240_000,
  sequence: { groupOrder: 3 },
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
          testTimeout: 60_000,
          maxWorkers: WORKERS ?? 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: [SERVER_SUITES],
          exclude: [...configDefaults.exclude, ...BACKGROUND_FILES, ...FILES_ALONE],
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
          name: 'background',
          include: BACKGROUND_FILES,
          ...startsDevnets,
          ...sharesModules,
          setupFiles: [...sharesModules.setupFiles, 'test/run/lowPriority.ts'],
          // Whatever the devnets leave them.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
