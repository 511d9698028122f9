import { expect, test } from 'vitest'
import { judgePush, type PushFacts } from '../../../services/push/pushHealth.ts'

const WELL: PushFacts = {
  lagSeconds: 0,
  waitingWebhooks: 0,
  overdueSeconds: 0,
  instances: [{ delivers: true }],
  hasWebhooks: true,
  sealedToOthers: 0,
  hasPlainWebhooks: false,
}

test.each<[string, Partial<PushFacts>, string, string[]]>([
  ['all is well', {}, 'ok', []],
  ['a moment late', { lagSeconds: 29, waitingWebhooks: 3, overdueSeconds: 59 }, 'ok', []],
  ['nobody runs', { instances: [] }, 'stopped', ['PUSH_STOPPED']],
  ['the journal is behind', { lagSeconds: 30 }, 'degraded', ['JOURNAL_BEHIND']],
  ['deliveries are behind', { overdueSeconds: 60 }, 'degraded', ['DELIVERIES_BEHIND']],
  [
    'nobody has the key',
    { instances: [{ delivers: false }] },
    'degraded',
    ['WEBHOOKS_WITHOUT_KEY'],
  ],
  ['one has another key', { sealedToOthers: 1 }, 'degraded', ['WEBHOOKS_WITHOUT_KEY']],
  [
    'one refuses the http URLs that the API took',
    { instances: [{ delivers: true, allowsPrivate: false }], hasPlainWebhooks: true },
    'degraded',
    ['PRIVATE_WEBHOOKS_REFUSED'],
  ],
  [
    'all take them',
    { instances: [{ delivers: true, allowsPrivate: true }], hasPlainWebhooks: true },
    'ok',
    [],
  ],
  ...[60, -60].map((secondsAhead): [string, Partial<PushFacts>, string, string[]] => [
    `a clock ${secondsAhead} s ahead`,
    {
      instances: [
        { delivers: true, secondsAhead: 1 },
        { delivers: true, secondsAhead },
      ],
    },
    'degraded',
    ['CLOCKS_DIFFER'],
  ]),
  ['clocks a moment apart', { instances: [{ delivers: true, secondsAhead: -59 }] }, 'ok', []],
  ['nobody needs it', { instances: [{ delivers: false }], hasWebhooks: false }, 'ok', []],
  [
    'nobody runs, and it shows',
    { instances: [], lagSeconds: 99, overdueSeconds: 99 },
    'stopped',
    ['PUSH_STOPPED', 'JOURNAL_BEHIND', 'DELIVERIES_BEHIND'],
  ],
])('%s', (_, facts, status, codes) => {
  const health = judgePush({ ...WELL, ...facts })
  expect(health.status).toBe(status)
  expect(health.problems.map(({ code }) => code)).toEqual(codes)
  for (const { cause, fix } of health.problems) expect([cause, fix]).not.toContain('')
})
