import { afterAll, beforeAll, describe } from 'vitest'
import { describeContractWallets } from './describeContractWallets.ts'
import { describeFairDelivery } from './describeFairDelivery.ts'
import { describeHealth } from './describeHealth.ts'
import { describeJournal } from './describeJournal.ts'
import { describeWaiting } from './describeLongPolling.ts'
import { describeStreams } from './describeStreams.ts'
import { describeWebhooks } from './describeWebhooks.ts'
import { type PushRig, startPushRig } from './pushRig.ts'

let rig: PushRig
beforeAll(async () => {
  rig = await startPushRig()
})
afterAll(() => rig?.stop())

// In this order: the first look at an index is the journal's.
describe('the journal', () => describeJournal(() => rig))
describe('event streams', () => describeStreams(() => rig))
describe('the SDK', () => describeWaiting(() => rig))
describe('its health', () => describeHealth(() => rig))
describe('webhooks', () => describeWebhooks(() => rig))
describe('turns', () => describeFairDelivery(() => rig))
describe('contract wallets', () => describeContractWallets(() => rig))
