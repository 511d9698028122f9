import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { runWebhook } from '../../../examples/webhook/runWebhook.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'

const EVENTS = 3

/** The example of a webhook, on a devnet with traffic. */
export function describeWebhook(running: () => DevnetFile): void {
  describe('the webhook example', () => {
    it('receives events with the journal’s ids and deletes its webhook', async () => {
      const { api, chains, accounts } = running()
      const owner = privateKeyToAccount(accounts.guests[4] as Hex)
      const { chainId } = chains.find(({ name }) => name === 'base_sepolia')!
      const isUp = async () => {
        const { push } = (await (await fetch(`${api}/health`)).json()) as {
          push?: { status: string }
        }
        return push?.status === 'ok'
      }
      await until(isUp, 'the role push runs', DEVNET_POLLING)
      const lines: string[] = []
      const ids = await runWebhook({ api, owner, chainId, events: EVENTS }, (line) => {
        lines.push(line)
      })
      expect(new Set(ids).size).toBe(EVENTS)
      expect(await journalOf(api, chainId, ids)).toEqual(new Set(ids))
      expect(lines.at(-1)).toMatch(/^webhook wh_\S+ is disabled$/)
    })
  })
}

/** Of these ids, those that `GET /events` gives too. It gives all of them before anything new. */
async function journalOf(
  api: string,
  chainId: number,
  ids: readonly string[],
): Promise<Set<string>> {
  const leaving = new AbortController()
  const response = await fetch(`${api}/events?chain=${chainId}&lastEventId=0`, {
    signal: leaving.signal,
  })
  let text = ''
  const found = () => new Set(ids.filter((id) => text.includes(`"id":"${id}"`)))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  while (found().size < ids.length) {
    const { value, done } = await reader.read()
    if (done) break
    text += value
  }
  leaving.abort()
  return found()
}
