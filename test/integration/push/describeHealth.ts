import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { startPush } from '../../../services/push/startPush.ts'
import { ADVISORY_LOCKS } from '../../../services/store/database/advisoryLocks.ts'
import { until } from '../../rig/until.ts'
import type { PushRig } from './pushRig.ts'

/** See push.test.ts. */
export function describeHealth(open: () => PushRig): void {
  let rig: PushRig
  beforeAll(async () => {
    rig = open()
    await rig.update()
  })

  const push = async () => (await rig.api.get('/health')).body.push
  const codes = async () => (await push()).problems.map(({ code }: { code: string }) => code)
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
  const start = (keyFile: string | null) =>
    startPush({
      databaseUrl: rig.api.postgres.databaseUrl,
      log,
      webhooks: { keyFile, allowPrivate: true },
    })

  test('reports whether the role runs, and the fix when it doesn’t', async () => {
    expect(await push()).toMatchObject({
      status: 'stopped',
      problems: [{ code: 'PUSH_STOPPED', fix: expect.stringContaining('npm run start:push') }],
    })
    const role = await start(null)
    await until(async () => (await push()).status === 'ok')
    await role.stop()
    expect(await codes()).toEqual(['PUSH_STOPPED'])
  })

  test('a role that can’t write because the disk is full logs it', async () => {
    await rig.client.query(
      `create function app.full() returns trigger language plpgsql
         as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
       create trigger full_disk before insert on app.role_status execute function app.full()`,
    )
    const role = await start(null)
    const lines = () => logged.filter((line) => line.includes('53100'))
    await until(() => lines().length > 0)
    await role.stop()
    await rig.client.query('drop function app.full cascade')
    expect(lines()).toEqual([expect.stringContaining('/health may report this role as stopped')])
  })

  test('reports a process whose clock differs from the database server’s', async () => {
    const role = await start(null)
    await until(async () => (await push()).status === 'ok')
    await rig.client.query(
      `insert into app.role_status (role, instance, status, beat_at)
       select 'push', gen_random_uuid(), jsonb_build_object('delivers', true,
         'clock', extract(epoch from beat - interval '10 minutes') * 1000), beat
       from (select now() + interval '1 hour' as beat) later`,
    )
    expect((await push()).problems).toMatchObject([
      { code: 'CLOCKS_DIFFER', cause: expect.stringContaining('600 s behind the database') },
    ])
    await rig.client.query(`delete from app.role_status where beat_at > now()`)
    await until(async () => (await push()).status === 'ok')
    await role.stop()
  })

  test('reports the journal as behind only while its writer is blocked', async () => {
    const role = await start(null)
    await rig.client.query(`select pg_advisory_lock(${ADVISORY_LOCKS.journal})`)
    await rig.client.query(
      `insert into app.change_log (table_name, operation, changed_at)
       values ('intent', 'update', now() - interval '1 minute')`,
    )
    await until(async () => String(await codes()) === 'JOURNAL_BEHIND')
    expect((await push()).lagSeconds).toBeGreaterThanOrEqual(60)
    await rig.client.query(`select pg_advisory_unlock(${ADVISORY_LOCKS.journal})`)
    await until(async () => (await push()).status === 'ok')
    await role.stop()
  })

  test('reports waiting deliveries and a missing key until a process has it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-push-health-'))
    const keyless = await start(null)
    await rig.client.query(
      `insert into app.webhook_endpoint (endpoint_id, url, intent_id, mode, key_id, sealed_secret, acted_at)
       values ('wh_health', 'http://127.0.0.1:9/', 1, 'instant', 'none', '', 0)`,
    )
    await rig.client.query(
      `insert into app.webhook_delivery (endpoint_id, sequence, status, next_at)
       select 'wh_health', max(sequence), 'due', now() - interval '2 minutes' from app.push_event`,
    )
    const both = ['DELIVERIES_BEHIND', 'WEBHOOKS_WITHOUT_KEY']
    await until(async () => String(await codes()) === String(both))
    expect(await push()).toMatchObject({ status: 'degraded', waitingWebhooks: 1 })
    const keeper = await start(join(directory, 'push.key'))
    // It can't open this secret, and says so in its log.
    expect(logged.join()).toContain('PUSH_KEY_FILE is another key than these webhooks’ secrets')
    const causes = async () => (await push()).problems.map(({ cause }: { cause: string }) => cause)
    await until(async () => String(await causes()).includes('deliveries to 1 webhooks wait'))
    // As the owner's rotation does.
    await rig.client.query(
      `update app.webhook_endpoint set key_id = (select key_id from app.webhook_key)
       where endpoint_id = 'wh_health'`,
    )
    await until(async () => (await push()).status === 'ok')
    await Promise.all([keyless.stop(), keeper.stop()])
    await rig.client.query(`delete from app.webhook_delivery where endpoint_id = 'wh_health'`)
    await rig.client.query(`delete from app.webhook_endpoint where endpoint_id = 'wh_health'`)
    rmSync(directory, { recursive: true })
  })
}
