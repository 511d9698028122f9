import { afterAll, beforeAll, describe } from 'vitest'
import { describeContractWallets } from './describeContractWallets.ts'
import { describeEventStreams } from './describeEventStreams.ts'
import { describeFairDelivery } from './describeFairDelivery.ts'
import { describeHealth } from './describeHealth.ts'
import { describeJournal } from './describeJournal.ts'
import { describeSdkWaiting } from './describeSdkWaiting.ts'
import { describeWebhooks } from './describeWebhooks.ts'
import { type PushRig, startPushRig } from './pushRig.ts'

let rig: PushRig
beforeAll(async () => {
  rig = await startPushRig()
})
afterAll(() => rig?.stop())

// In this order: the first look at an index is the journal's.
describe('the journal', () => describeJournal(() => rig))
describe('event streams', () => describeEventStreams(() => rig))
describe('the SDK', () => describeSdkWaiting(() => rig))
describe('GET /health', () => describeHealth(() => rig))
describe('webhooks', () => describeWebhooks(() => rig))
describe('delivery order', () => describeFairDelivery(() => rig))
describe('contract wallets', () => describeContractWallets(() => rig))
