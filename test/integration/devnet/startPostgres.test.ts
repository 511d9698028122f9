import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { choosePostgresOsUser } from '../../../services/postgres/choosePostgresOsUser.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { findPostgresBinaries } from '../../../services/postgres/findPostgresBinaries.ts'
import { type RunningPostgres, startPostgres } from '../../../services/postgres/startPostgres.ts'
import { awaitExit, startAndKillParent } from './startAndKillParent.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-postgres-'))
// The user that PostgreSQL runs as must be able to pass through.
execFileSync('chmod', ['755', root])
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function ask(server: RunningPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('PostgreSQL', () => {
  it('starts, keeps its data over a restart, and leaves no process', async () => {
    const dataDirectory = join(root, 'kept')
    const first = await startPostgres({ dataDirectory })
    await ask(first, 'create table stone as select 7 as weight')
    await first.stop()
    await awaitExit(first.pid)
    const second = await startPostgres({ dataDirectory })
    expect(await ask(second, 'select weight from stone')).toEqual([{ weight: 7 }])
    await second.stop()
  })

  it('refuses connections without the password', async () => {
    const server = await startPostgres({ dataDirectory: join(root, 'kept') })
    const url = new URL(server.databaseUrl)
    url.password = 'guess'
    const client = new pg.Client({ connectionString: url.href })
    await expect(client.connect()).rejects.toThrow(/password authentication failed/)
    await server.stop()
  })

  it('exits with a parent that is killed with -9, and starts again', async () => {
    const dataDirectory = join(root, 'killed')
    const { pid } = await startAndKillParent('postgres', dataDirectory)
    // At once: the next start has to wait for the dying server itself.
    const next = await startPostgres({ dataDirectory })
    await awaitExit(pid)
    expect(await ask(next, 'select 1 as one')).toEqual([{ one: 1 }])
    await next.stop()
  })

  it('recovers after being killed, and when another program now has its process id', async () => {
    const dataDirectory = join(root, 'crashed')
    const first = await startPostgres({ dataDirectory })
    await ask(first, 'create table stone as select 8 as weight')
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const lock = join(first.directory, 'cluster', 'postmaster.pid')
    expect(existsSync(lock)).toBe(true)
    writeFileSync(lock, `${process.pid}\n${join(first.directory, 'cluster')}\n`)
    const second = await startPostgres({ dataDirectory })
    expect(await ask(second, 'select weight from stone')).toEqual([{ weight: 8 }])
    await second.stop()
  })

  it('starts over after an interrupted first start', async () => {
    const dataDirectory = join(root, 'half')
    const first = await startPostgres({ dataDirectory })
    await first.stop()
    rmSync(join(first.directory, 'cairn.password'))
    rmSync(join(first.directory, 'cluster', 'global'), { recursive: true })
    writeFileSync(join(first.directory, 'notes.txt'), 'not PostgreSQL’s')
    const second = await startPostgres({ dataDirectory })
    expect(await ask(second, 'select 1 as one')).toEqual([{ one: 1 }])
    await second.stop()
    expect(readdirSync(first.directory)).toContain('notes.txt')
  })

  it('reports that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const start = startPostgres({ dataDirectory: join(root, 'kept'), port })
    await expect(start).rejects.toThrow(/did not start on port \d+:\n[\s\S]*could not bind/)
    other.close()
  })

  it('names both versions when the files belong to another version', async () => {
    const dataDirectory = join(root, 'kept')
    const found = readdirSync(join(dataDirectory, 'cluster'))
    expect(found).toContain('PG_VERSION')
    const old = join(root, 'old')
    execFileSync('cp', ['-a', dataDirectory, old])
    writeFileSync(join(old, 'cluster', 'PG_VERSION'), '15\n')
    await expect(startPostgres({ dataDirectory: old })).rejects.toThrow(/PostgreSQL 15, this is 18/)
  })
})

describe.runIf(userInfo().uid === 0)('PostgreSQL, started by root', () => {
  const closed = mkdtempSync(join(tmpdir(), 'cairn-closed-')) // mode 0700
  const home = mkdtempSync(join(tmpdir(), 'cairn-home-'))
  execFileSync('chmod', ['755', home])
  const homeOfRun = process.env.CAIRN_POSTGRES_HOME ?? ''
  process.env.CAIRN_POSTGRES_HOME = home
  afterAll(() => {
    process.env.CAIRN_POSTGRES_HOME = homeOfRun
    for (const path of [closed, home]) rmSync(path, { recursive: true, force: true })
  })

  it('keeps its files elsewhere when its user may not enter the directory, and says where', async () => {
    const dataDirectory = join(closed, 'data')
    const notices: string[] = []
    const first = await startPostgres({ dataDirectory, onNotice: (text) => notices.push(text) })
    await ask(first, 'create table stone as select 9 as weight')
    await first.stop()
    expect(lstatSync(dataDirectory).isSymbolicLink()).toBe(true)
    expect(notices.join()).toContain(first.directory)
    const second = await startPostgres({ dataDirectory })
    expect(await ask(second, 'select weight from stone')).toEqual([{ weight: 9 }])
    await second.stop()
    removeClusterDirectory(dataDirectory)
    expect(existsSync(first.directory)).toBe(false)
  })

  it('names what a deleted directory left behind, under a name that shows its owner', async () => {
    const dataDirectory = join(closed, 'project', '.cairn', 'postgres')
    const first = await startPostgres({ dataDirectory })
    await first.stop()
    expect(first.directory).toContain('project-.cairn-postgres')
    rmSync(join(closed, 'project'), { recursive: true })
    const notices: string[] = []
    const other = await startPostgres({
      dataDirectory: join(closed, 'other'),
      onNotice: (text) => notices.push(text),
    })
    await other.stop()
    const left = `${first.directory} is left over from ${dataDirectory}, which is gone`
    expect(notices.filter((text) => text.includes('is left over from'))).toEqual([
      `${left}. If you don't need it: rm -r '${first.directory}'`,
    ])
    // Begun anew at the same place, it is that place's own again.
    const again = await startPostgres({ dataDirectory })
    expect(again.directory).toBe(first.directory)
    await again.stop()
    for (const path of [dataDirectory, join(closed, 'other')]) removeClusterDirectory(path)
    expect(existsSync(first.directory)).toBe(false)
    expect(readdirSync(home)).toEqual([])
  })

  it('leaves files alone that its user can’t reach', async () => {
    const dataDirectory = join(closed, 'another user’s')
    mkdirSync(dataDirectory)
    writeFileSync(join(dataDirectory, 'cairn.password'), 'kept')
    await expect(startPostgres({ dataDirectory })).rejects.toThrow(/can't use .* which holds files/)
    expect(readdirSync(dataDirectory)).toEqual(['cairn.password'])
  })

  it('runs a copy of programs its user may not enter', () => {
    const user = choosePostgresOsUser()
    if (!user) throw new Error('root, yet no user to drop to')
    const installed = dirname(dirname(findPostgresBinaries(null).postgres))
    const hidden = join(closed, 'native')
    cpSync(installed, hidden, { recursive: true, verbatimSymlinks: true })
    const { postgres } = findPostgresBinaries(user, hidden)
    expect(postgres.startsWith(home)).toBe(true)
    const options = { uid: user.uid, gid: user.gid, cwd: '/', encoding: 'utf8' } as const
    expect(execFileSync(postgres, ['--version'], options)).toMatch(/PostgreSQL/)
  })
})
