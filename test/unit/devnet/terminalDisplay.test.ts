import { describe, expect, it } from 'vitest'
import type { Overview } from '../../../devnet/overviewReader.ts'
import { createScreen } from '../../../devnet/terminalDisplay.ts'

const overview = (completed: number): Overview => ({
  counts: { pending: 1, solving: 0, settled: 0, completed, failed: 0, expired: 0, cancelled: 0 },
  orders: { active: 1, completed: 2, cancelled: 0 },
  chains: [
    { name: 'base_sepolia', head: 12, indexed: 12, problem: null },
    { name: 'horizen_testnet', head: 9, indexed: null, problem: 'its node is away' },
  ],
})

const indexedTo = (indexed: number | null): Overview => ({
  ...overview(2),
  chains: [{ name: 'base_sepolia', head: 35, indexed, problem: null }],
})

function recorder(isTTY: boolean, columns = 200) {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  const output = { isTTY, columns, write }
  return { output, text: () => text }
}

/** What a terminal shows after these writes: understands "up n lines" and "clear to the end". */
function displayed(text: string): string[] {
  const lines: string[] = []
  let row = 0
  const escapeCharacter = String.fromCharCode(27)
  const [first = '', ...rest] = text.split(escapeCharacter)
  const print = (plain: string) => {
    for (const [at, line] of plain.split('\n').entries()) {
      if (at > 0) row++
      if (line !== '') lines[row] = line
    }
  }
  print(first)
  for (const part of rest) {
    const [, count, command, plain = ''] = /^\[(\d*)([AJ])([\s\S]*)$/.exec(part) ?? []
    if (command === 'A') row -= Number(count)
    else if (command === 'J') lines.length = row
    else throw new Error(`unknown sequence ${part}`)
    print(plain)
  }
  return lines
}

describe('on a terminal', () => {
  it('redraws counts and heads in place, under what stays', () => {
    const { output, text } = recorder(true)
    const screen = createScreen(output)
    screen.stage('starting')
    screen.welcome('Cairn is running.')
    screen.overview(overview(1))
    screen.notice('the api was started again')
    screen.overview(overview(2))
    expect(displayed(text())).toEqual([
      'Cairn is running.',
      '3 intents: 1 pending · 0 solving · 0 settled · 2 completed · 0 failed · 0 expired · 0 cancelled',
      'scheduled orders: 1 active · 2 completed · 0 cancelled',
      'base_sepolia: indexed to block 12, head 12',
      'horizen_testnet: first backfill, head 9 (its node is away)',
      'note: the api was started again',
    ])
  })

  it('breaks long lines itself, since the terminal’s breaks would spoil the redrawing', () => {
    const { output, text } = recorder(true, 80)
    const screen = createScreen(output)
    screen.overview(overview(1))
    screen.notice(
      'the chains’ saved state can’t be read (kept as *.unreadable): both chains start over',
    )
    screen.overview(overview(2))
    expect(displayed(text())).toEqual([
      '3 intents: 1 pending · 0 solving · 0 settled · 2 completed · 0 failed · 0',
      'expired · 0 cancelled',
      'scheduled orders: 1 active · 2 completed · 0 cancelled',
      'base_sepolia: indexed to block 12, head 12',
      'horizen_testnet: first backfill, head 9 (its node is away)',
      'note: the chains’ saved state can’t be read (kept as *.unreadable): both chains',
      'start over',
    ])
  })

  it('cuts words that are longer than the terminal is wide', () => {
    const { output, text } = recorder(true, 6)
    createScreen(output).notice('unbreakable')
    expect(displayed(text())).toEqual(['note:', 'unbre', 'akabl', 'e'])
  })

  it('draws 80 columns where the terminal has no size', () => {
    const { output, text } = recorder(true, 0)
    const screen = createScreen(output)
    screen.overview(overview(1))
    expect(displayed(text())[3]).toBe('base_sepolia: indexed to block 12, head 12')
  })
})

describe('elsewhere', () => {
  it('prints a plain line now and then, and only when something changed', () => {
    const { output, text } = recorder(false)
    let now = 0
    const screen = createScreen(output, () => now)
    screen.overview(overview(1))
    now = 5_000
    screen.overview(overview(2))
    now = 16_000
    screen.overview(overview(1))
    now = 32_000
    screen.overview(overview(3))
    const lines = text().trimEnd().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/3 completed.*base_sepolia: indexed to block 12/)
    expect(text()).not.toContain('\x1b')
  })

  it('prints its first line once every chain is indexed', () => {
    const { output, text } = recorder(false)
    const screen = createScreen(output, () => 0)
    screen.overview(indexedTo(null))
    // One chain has a problem, which may pass at once.
    screen.overview(overview(1))
    screen.overview(indexedTo(9))
    expect(text()).toBe('')
    screen.overview(indexedTo(34))
    expect(text()).toMatch(/^3 intents.*base_sepolia: indexed to block 34, head 35/)
  })

  it('prints a line also while an index is filled for long', () => {
    const { output, text } = recorder(false)
    let now = 0
    const screen = createScreen(output, () => now)
    screen.overview(indexedTo(9))
    now = 15_000
    screen.overview(indexedTo(20))
    expect(text()).toMatch(/indexed to block 20, head 35/)
  })
})
