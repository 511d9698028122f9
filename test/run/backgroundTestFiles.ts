/**
 * Paths of suites that compute for long and measure no time. They run at low priority once a devnet suite has ended and
 * no other waits to start: beside two devnet suites, which leave nothing idle, they only slowed those down.
 */
export const BACKGROUND_FILES = [
  'test/integration/sdk/package.test.ts',
  'test/integration/store/explain.test.ts',
  'test/integration/replay/replay.test.ts',
  'test/integration/report/report.test.ts',
  'test/integration/rest/openapi.test.ts',
  'test/integration/rest/compression.test.ts',
  'test/integration/asOf/asOf.test.ts',
  'test/integration/store/keysetPagination.test.ts',
  'test/integration/store/seed.test.ts',
]
