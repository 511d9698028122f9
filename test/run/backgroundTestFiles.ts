/**
 * Suites that compute for long and measure no time, as paths. They run at low priority when a devnet suite has left its
 * place and none waits for it: tried beside both devnet suites, they only slowed those down, since nothing is idle then.
 */
export const BACKGROUND_FILES = [
  'test/integration/sdk/package.test.ts',
  'test/integration/store/explain.test.ts',
  'test/integration/replay/replay.test.ts',
  'test/integration/report/report.test.ts',
  'test/integration/rest/openapi.test.ts',
  'test/integration/rest/compression.test.ts',
  'test/integration/asOf/asOf.test.ts',
  'test/integration/enclave/longRecovery.test.ts',
  'test/integration/store/keysetPagination.test.ts',
  'test/integration/store/seed.test.ts',
]
