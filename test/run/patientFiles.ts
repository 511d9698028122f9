/**
 * Suites that compute for long and measure no time, as paths. They run beside the devnets, one at a time and at
 * a low priority: they take what those leave while they wait for auctions, and wait as long as they need it.
 */
export const PATIENT_FILES = [
  'test/integration/sdk/package.test.ts',
  'test/integration/store/explain.test.ts',
  'test/integration/replay/replay.test.ts',
  'test/integration/report/report.test.ts',
  'test/integration/rest/openapi.test.ts',
  'test/integration/rest/compression.test.ts',
  'test/integration/asOf/asOf.test.ts',
  'test/integration/enclave/longRecovery.test.ts',
  'test/integration/store/keyset.test.ts',
  'test/integration/store/seed.test.ts',
]
