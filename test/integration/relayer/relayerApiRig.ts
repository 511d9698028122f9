import { decrypt, encrypt } from 'eciesjs'
import { bytesToHex, type Hex, hexToBytes, keccak256, stringToBytes } from 'viem'
import type { Failure } from '../../../api/http/baseApp.ts'
import type { RequestLimits } from '../../../api/http/limits/requestGate.ts'
import { createRelayerWriteRoutes } from '../../../api/rest/relayerWriteRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import type { AuthMode } from '../../../api/rest/writeContext.ts'
import { decodePayments } from '../../../core/settlement/encodePayments.ts'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipientsMessage.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type Offer, type RelayerRig, startRelayerRig } from '../reactions/relayerRig.ts'

/** Milliseconds that a rig may take to start on a busy machine. */
export const START_MS = 240_000

/** High enough to stay out of the way. */
export const FREE_LIMITS: RequestLimits = {
  reads: { perSecond: 100_000, burst: 100_000 },
  writes: { perSecond: 100_000, burst: 100_000 },
}

export const ADMIN_TOKEN = 'an-admin-token-that-has-32-bytes-and-more'
export const OLD_ADMIN_TOKEN = 'another-admin-token-kept-while-it-is-rotated'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
export type Answer = { status: number; headers: Headers; text: string; body: any }

type Instance = {
  url: string
  /** Answers of status 500 and above, as the operator is told of them. */
  failures: Failure[]
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
}

/** A body of `POST /store-recipients`. */
type SealedBody = { intentId: string; chainId: number; encryptedData: Hex }

export type WritesRig = RelayerRig & {
  /** Instances over one database: one that believes signatures, and two that believe callers. */
  strict: Instance
  compat: Instance
  second: Instance
  sender: DevnetAccount
  solver: DevnetAccount
  /** An uninvolved account. */
  stranger: DevnetAccount
  /** The body of `POST /store-recipients` for what an offer says, encrypted afresh. */
  sealed(offer: Offer, more?: object): Promise<SealedBody>
  /** Anything at all, encrypted to the relayer. */
  encrypted(bundle: unknown): Promise<Hex>
  /** The headers by which a sender signs a body of `sealed`. */
  signedBy(account: DevnetAccount, body: SealedBody): Promise<Record<string, string>>
  /** Stores what an offer says, in strict mode, signed by its sender (default: `sender`). */
  storeSigned(offer: Offer, account?: DevnetAccount): Promise<Answer>
  /** Waits until the relayer has put the recipients on chain, and every instance shows it. */
  anchored(id: bigint): Promise<void>
  /** Bids, waits, deposits: the intent has a winner, who is told its recipients by every instance. */
  won(id: bigint): Promise<void>
  /** Waits until the winner is paid, and every instance shows it. */
  completed(id: bigint): Promise<void>
}

/** Chains, index and enclave as the reactions' tests have them, and the API in front. */
export async function startWritesRig(): Promise<WritesRig> {
  const rig = await startRelayerRig({ mode: 'compat' })
  const apis: RunningApi[] = []
  const open = async (authMode: AuthMode): Promise<Instance> => {
    const failures: Failure[] = []
    const writes = createRelayerWriteRoutes({
      enclave: rig.enclave,
      authMode,
      adminTokens: [ADMIN_TOKEN, OLD_ADMIN_TOKEN],
    })
    const api = await startApi({
      databaseUrl: rig.postgres.databaseUrl,
      chains: rig.configs,
      limits: FREE_LIMITS,
      host: '127.0.0.1',
      port: 0,
      routes: [writes],
      onFailure: (failure) => failures.push(failure),
    })
    apis.push(api)
    return instanceOf(api, failures)
  }
  const strict = await open('strict')
  const compat = await open('compat')
  const second = await open('compat')
  const { senders, solvers, guests } = deriveDevnetAccounts()
  const { eciesPublicKey } = await rig.enclave.publicKeys()
  const whatWasSaid = new Map<Hex, { recipients: Hex[]; amounts: bigint[]; n: number; salt: Hex }>()
  const encrypted = async (bundle: unknown) =>
    bytesToHex(encrypt(hexToBytes(eciesPublicKey), stringToBytes(JSON.stringify(bundle))))
  const signedBy: WritesRig['signedBy'] = async (account, body) => {
    const intentId = BigInt(body.intentId)
    const { paramsHash } = await rig.base.client.readContract({
      address: rig.base.contracts.bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'getIntent',
      args: [intentId],
    })
    // The sealer knows the plaintext.
    const said = whatWasSaid.get(body.encryptedData)
    if (!said) throw new Error('that body is none of sealed()')
    const named = { intentId, sourceChainId: body.chainId, paramsHash, ...said }
    return {
      'x-sender-signature': await account.signMessage({ message: storeRecipientsMessage(named) }),
    }
  }
  const sealed: WritesRig['sealed'] = async ({ id, recipients, amounts }, more = {}) => {
    const numbered = { n: 1, salt: keccak256('0x01'), ...more }
    const bundle = { recipients, amounts: amounts.map(String), ...numbered }
    const encryptedData = await encrypted(bundle)
    whatWasSaid.set(encryptedData, { recipients, amounts, n: numbered.n, salt: numbered.salt })
    return { intentId: String(id), chainId: rig.base.chainId, encryptedData }
  }
  const solver = solvers[0] as DevnetAccount
  const sender = senders[0] as DevnetAccount
  const instances = [strict, compat, second]
  // The database has a change a moment before an instance hears of it.
  const allShow = async (
    id: bigint,
    is: (intent: { status: string; feeBps: unknown }) => boolean,
  ) => {
    const answers = await Promise.all(instances.map(({ get }) => get(`/intent-details/${id}`)))
    return answers.every(({ body: { intent } }) => intent && is(intent))
  }
  return {
    ...rig,
    strict,
    compat,
    second,
    encrypted,
    sealed,
    signedBy,
    sender,
    solver,
    stranger: guests[0] as DevnetAccount,
    storeSigned: async (offer, account = sender) => {
      const body = await sealed(offer)
      return strict.post('/store-recipients', body, await signedBy(account, body))
    },
    anchored: (id) => rig.until(() => allShow(id, ({ feeBps }) => feeBps !== null), 'anchored'),
    completed: (id) =>
      rig.until(() => allShow(id, ({ status }) => status === 'completed'), 'settled'),
    won: async (id) => {
      await rig.play.bid(id)
      await rig.play.endAuction()
      await rig.play.deposit(id)
      const headers = { 'x-solver-address': solver.address }
      const isRevealed = async () => {
        const path = `/get-recipients/${id}`
        const answers = await Promise.all(instances.map(({ get }) => get(path, headers)))
        return answers.every(({ status }) => status !== 404)
      }
      await rig.until(isRevealed, 'the deposit is deep enough')
    },
    stop: async () => {
      await Promise.all(apis.map((api) => api.stop()))
      await rig.stop()
    },
  }
}

/** Decrypts data sealed to an account's own key. */
export function unseal(account: DevnetAccount, ciphertext: Hex) {
  return decodePayments(decrypt(hexToBytes(account.privateKey), hexToBytes(ciphertext)))
}

function instanceOf({ url }: RunningApi, failures: Failure[]): Instance {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson && text !== '' ? JSON.parse(text) : null
    return { status: response.status, headers: response.headers, text, body }
  }
  return {
    url,
    failures,
    get: (path, headers = {}) => ask(path, { headers }),
    delete: (path, headers = {}) => ask(path, { method: 'DELETE', headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}
