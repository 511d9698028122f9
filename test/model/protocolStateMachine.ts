import { call } from './bridge.ts'
import type { Bridge, Intent, Source } from './bridgeState.ts'
import { type CreationName, createCatalogue, KEY_ID } from './catalogue.ts'
import { createOffChainDeployment, type Deployment } from './deployment.ts'
import { type Destination, solve } from './destination.ts'
import {
  aboutWinner,
  attest,
  type Carried,
  type Deciding,
  type Keyring,
  reveal,
  signNamings,
} from './enclaves.ts'
import { InternTable, memoized } from './internTable.ts'
import { type Content, type KeyName, type Message, OPERATOR_OF, type Unsigned } from './messages.ts'
import { listRogueMessages } from './rogueMessages.ts'
import type { Action, Rules, Scope, State, Surroundings } from './stateMachineTypes.ts'

/** Message kinds that need a quorum. */
type QuorumKind = 'reveal' | 'settlement' | 'notDelivered'

/** A message's content and its signers so far. */
type Signed<Kind extends QuorumKind> = { content: Content<Kind>; signers: KeyName[] }

export type Model = ReturnType<typeof createModel>

/**
 * The state machine of one scope under these rules. Assumes that somebody asks every enclave for everything at every
 * moment, so that the signed messages follow from the chains' states alone.
 */
export function createModel(
  scope: Scope,
  rules: Rules,
  deployment: Deployment = createOffChainDeployment(),
) {
  const catalogue = createCatalogue(deployment)
  const bridge: Bridge = { catalogue, rules: rules.bridge, quorum: scope.quorum }
  const deciding: Deciding = { catalogue, rules: rules.enclave, mode: scope.mode }
  const sources = new InternTable<Source>()
  const destinations = new InternTable<Destination>()
  const messages = new InternTable<Message>()
  const contents = new InternTable<Content<'reveal'>>()
  const intents = new InternTable<Intent>()
  const { confirmations } = scope

  const unsigned = new InternTable<Unsigned>()

  const carriedFor = memoized(
    (creation: CreationName, isBobRegistered: string): Carried => ({
      isBobRegistered: isBobRegistered === 'true',
      proposals: scope.proposals.map(({ names, n, isSigned }) =>
        catalogue.naming(creation, names, { n, isSigned }),
      ),
    }),
  )

  /** The parts of an intent that decisions depend on: many states share them, which makes exploration fast. */
  const seenOf = memoized((source: number) => {
    const { intent, time } = sources.at(source)
    if (intent === null) return null
    const { createdAt } = intent
    const isOver = time >= createdAt + deployment.auctionDuration
    const seen = { ...intent, asked: false, revealed: false, isHonest: true, fillDeadline: 0 }
    return { intent: intents.idOf(seen), time: isOver ? 10_000 : time - createdAt < 20 ? 0 : 20 }
  })

  const namings = memoized(
    (intent: number, time: number, keyring: KeyringName, isRegistered: string) => {
      const at = intents.at(intent)
      const seen = { intent: { ...at, createdAt: 0 }, time: time, revoked: {} }
      const carried = carriedFor(at.creation, isRegistered)
      return signNamings(deciding, KEYRINGS[keyring], seen, carried).map((one) =>
        unsigned.idOf(one),
      )
    },
  )

  const reveals = memoized((intent: number, keyring: KeyringName, isRegistered: string) => {
    const at = intents.at(intent)
    const carried = carriedFor(at.creation, isRegistered)
    const revealed = reveal(deciding, KEYRINGS[keyring], at, carried)
    if (revealed === null) return []
    const { fillDeadline } = at
    return [
      unsigned.idOf({ kind: 'reveal', ...aboutWinner(catalogue, at), revealed, fillDeadline }),
    ]
  })

  const attestations = memoized(
    (intent: number, destination: number, keyring: KeyringName, isRegistered: string) => {
      const at = intents.at(intent)
      const carried = carriedFor(at.creation, isRegistered)
      const shown = destinations.at(destination)
      return attest(deciding, KEYRINGS[keyring], at, shown, carried).map((one) =>
        unsigned.idOf(one),
      )
    },
  )

  const signedAs = memoized((content: number, signer: KeyName) =>
    messages.idOf({ ...unsigned.at(content), signer } as Message),
  )

  const messagesOfRogues = memoized((intent: number) =>
    scope.rogues.flatMap((signer) =>
      listRogueMessages(catalogue, signer, intents.at(intent)).map((one) => messages.idOf(one)),
    ),
  )

  function start(): State {
    const around: Surroundings = {
      isBobRegistered: false,
      isRootRotated: false,
      isAttesterPromoted: false,
      left: scope.budget,
    }
    return {
      source: [sources.idOf({ time: 0, intent: null, revoked: {} })],
      destination: [destinations.idOf({ time: 0, deliveries: {} })],
      messages: [],
      revealed: [],
      deep: [],
      around,
    }
  }

  /** The state after an action. @throws Refused where a contract rejects the call */
  function after(state: State, action: Action): State {
    const { around } = state
    switch (action.on) {
      case 'source': {
        const next = call(bridge, headOf(state), action.call)
        const left = spend(around, action.spends)
        return sign({ ...state, source: push(state.source, sources.idOf(next)), around: left })
      }
      case 'destination': {
        const next = solve(catalogue, destinationHead(state), action.solve)
        const destination = push(state.destination, destinations.idOf(next))
        return sign({ ...state, destination, around: spend(around, action.spends) })
      }
      case 'clock':
        return sign(tick(state, action))
      case 'reorg': {
        const left = spend(around, action.chain === 'source' ? 'sourceReorg' : 'destinationReorg')
        return sign({ ...state, [action.chain]: state[action.chain].slice(0, -1), around: left })
      }
      case 'surroundings':
        return sign({ ...state, around: change(around, action.what) })
    }
  }

  function tick(state: State, { chain, to }: Extract<Action, { on: 'clock' }>): State {
    if (chain === 'source') {
      const next = sources.idOf({ ...headOf(state), time: to })
      return { ...state, source: push(state.source, next) }
    }
    const next = destinations.idOf({ ...destinationHead(state), time: to })
    return { ...state, destination: push(state.destination, next) }
  }

  /** Adds every signature an enclave would give, and drops messages that can no longer count. */
  function sign(state: State): State {
    const deep = deepIntents(state)
    const registered = `${state.around.isBobRegistered}`
    const all = new Set(state.messages)
    const shown = below(state.destination, rules.enclave.depth.destination)
    for (const enclave of scope.enclaves) {
      const { signer, keyring } = enclaveNow(enclave, state.around)
      const add = (contents: readonly number[]) => {
        for (const content of contents) all.add(signedAs(content, signer))
      }
      for (const source of state.source) {
        const seen = seenOf(source)
        if (seen !== null) add(namings(seen.intent, seen.time, keyring, registered))
      }
      for (const intent of deep) {
        add(reveals(intent, keyring, registered))
        if (shown !== null) add(attestations(intent, shown, keyring, registered))
      }
    }
    if (scope.quorum > 1)
      for (const id of deep.flatMap((intent) => messagesOfRogues(intent))) all.add(id)
    const counting = [...all].filter((id) => state.source.some((block) => isAbout(id, block)))
    const signed = { ...state, deep, messages: counting.toSorted((one, other) => one - other) }
    return { ...signed, revealed: revealedOf(signed) }
  }

  /** Deposited intents that are, or were, confirmed deeply enough to reveal and attest. */
  function deepIntents(state: State): readonly number[] {
    const final = sources.at(state.source[0]!).intent
    if (final !== null && final.phase !== 'open' && final.phase !== 'deposited') return []
    const at = below(state.source, rules.enclave.depth.source)
    const intent = at === null ? null : sources.at(at).intent
    if (intent?.phase !== 'deposited') return state.deep
    const id = intents.idOf({ ...intent, asked: false, revealed: false })
    return state.deep.includes(id) ? state.deep : [...state.deep, id].toSorted((a, b) => a - b)
  }

  /** The newest block with this many confirmations. */
  function below(chain: readonly number[], depth: number | null): number | null {
    return chain[chain.length - 1 - (depth ?? confirmations)] ?? null
  }

  const isAbout = memoized((message: number, source: number) => {
    const { intent } = sources.at(source)
    const one = messages.at(message)
    if (intent === null || catalogue.terms(intent.creation).paramsHash !== one.paramsHash)
      return false
    if (one.kind === 'anchor' || one.kind === 'append') {
      const isDue = one.kind === 'append' || intent.feeBps === 0 || !rules.bridge.checksBlobsBefore
      const isOpen = intent.phase === 'open' || intent.phase === 'deposited'
      const isOver = one.before === catalogue.fold(intent.blobs) || !rules.bridge.checksBlobsBefore
      return isDue && isOpen && isOver
    }
    return intent.phase === 'deposited' && intent.solver === one.solver
  })

  function revealedOf(state: State): readonly number[] {
    const revealed = new Set(state.revealed)
    for (const { content } of signedBy(state, 'reveal')) revealed.add(contents.idOf(content))
    return [...revealed].toSorted((one, other) => one - other)
  }

  /** Content signed by a quorum of keys of different operators that count for the intent in its present state. */
  function signedBy<Kind extends QuorumKind>(state: State, kind: Kind): Signed<Kind>[] {
    const { revoked } = headOf(state)
    const isLast = (id: number) => revoked[messages.at(id).signer] !== undefined
    const groups = new Map<string, { content: Content<Kind>; signers: KeyName[] }>()
    // Where an operator has two keys, prefer the one that isn't revoked.
    for (const id of state.messages.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      const message = messages.at(id)
      if (message.kind !== kind) continue
      const { kind: _, signer, ...content } = message
      if (scope.quorum === 1 && revoked[signer] !== undefined) continue
      const text = JSON.stringify(content)
      const group = groups.get(text) ?? { content: content as never, signers: [] }
      groups.set(text, { ...group, signers: [...group.signers, signer] })
    }
    return [...groups.values()].flatMap(({ content, signers }) => {
      const chosen = enough(signers)
      return chosen === null ? [] : [{ content, signers: chosen }]
    })
  }

  function enough(signers: readonly KeyName[]): KeyName[] | null {
    const distinct = rules.bridge.operatorsDiffer
      ? signers.filter((one, at) => signers.findIndex((other) => isSame(one, other)) === at)
      : signers
    return distinct.length < scope.quorum ? null : distinct.slice(0, scope.quorum)
  }

  function headOf({ source }: State): Source {
    return sources.at(source.at(-1)!)
  }

  function destinationHead({ destination }: State): Destination {
    return destinations.at(destination.at(-1)!)
  }

  function push(chain: readonly number[], block: number): number[] {
    return [...chain, block].slice(-(confirmations + 1))
  }

  return {
    scope,
    rules,
    bridge,
    catalogue,
    start,
    after,
    signedBy,
    headOf,
    destinationHead,
    /** The newest block no reorg can remove; null right after one. */
    final: ({ source }: State): Source => sources.at(source[0]!),
    finalDestination: ({ destination }: State): Destination => destinations.at(destination[0]!),
    sourceAt: (id: number) => sources.at(id),
    deepAt: (id: number) => intents.at(id),
    messageAt: (id: number) => messages.at(id),
    revealedAt: (id: number) => contents.at(id),
  }
}

function isSame(one: KeyName, other: KeyName): boolean {
  return OPERATOR_OF[one] === OPERATOR_OF[other]
}

const KEYRINGS = {
  old: [KEY_ID.old],
  rotated: [KEY_ID.new, KEY_ID.old],
  new: [KEY_ID.new],
} as const satisfies Record<string, Keyring>
type KeyringName = keyof typeof KEYRINGS

function enclaveNow(
  name: Scope['enclaves'][number],
  { isRootRotated, isAttesterPromoted }: Surroundings,
): { signer: KeyName; keyring: KeyringName } {
  if (name === 'newcomer') return { signer: 'newcomer', keyring: 'new' }
  if (name === 'second') return { signer: 'second', keyring: 'old' }
  const keyring = isRootRotated ? 'rotated' : 'old'
  return { signer: isAttesterPromoted ? 'firstNext' : 'first', keyring }
}

function spend(around: Surroundings, what?: keyof Surroundings['left']): Surroundings {
  if (what === undefined) return around
  return { ...around, left: { ...around.left, [what]: around.left[what] - 1 } }
}

function change(around: Surroundings, what: 'register' | 'rotate' | 'promote'): Surroundings {
  if (what === 'register') return { ...around, isBobRegistered: true }
  return what === 'rotate'
    ? { ...around, isRootRotated: true }
    : { ...around, isAttesterPromoted: true }
}
