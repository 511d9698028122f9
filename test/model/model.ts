import { call } from './bridge.ts'
import type { Bridge, Intent, Source } from './bridgeState.ts'
import { type CreationName, createCatalogue, KEY_ID } from './catalogue.ts'
import { type Destination, solve } from './destination.ts'
import {
  aboutWinner,
  attest,
  type Carried,
  type Deciding,
  type Keyring,
  signNamings,
  tell,
} from './enclaves.ts'
import { type Content, type KeyName, type Message, OPERATOR_OF, type Unsigned } from './messages.ts'
import { nowhere, type Place } from './place.ts'
import { rogueWords } from './rogueKey.ts'
import { kept, Table } from './valueIds.ts'
import type { Action, Rules, State, Surroundings, World } from './world.ts'

/** Kinds that several enclaves sign. */
type QuorumKind = 'reveal' | 'settlement' | 'notDelivered'

/** A content that may be sent, and who has signed it. */
type Signed<Kind extends QuorumKind> = { content: Content<Kind>; signers: KeyName[] }

export type Model = ReturnType<typeof createModel>

/**
 * The state machine of one world under these rules. Whoever carries bytes is thought to ask every enclave
 * for everything at every moment, so that what is signed follows from what has happened.
 */
export function createModel(world: World, rules: Rules, place: Place = nowhere()) {
  const catalogue = createCatalogue(place)
  const bridge: Bridge = { catalogue, rules: rules.bridge, quorum: world.quorum }
  const deciding: Deciding = { catalogue, rules: rules.enclave, mode: world.mode }
  const sources = new Table<Source>()
  const destinations = new Table<Destination>()
  const messages = new Table<Message>()
  const contents = new Table<Content<'reveal'>>()
  const intents = new Table<Intent>()
  const { confirmations } = world

  const unsigned = new Table<Unsigned>()

  const carriedFor = kept(
    (creation: CreationName, isBobRegistered: string): Carried => ({
      isBobRegistered: isBobRegistered === 'true',
      proposals: world.proposals.map(({ names, n, isSigned }) =>
        catalogue.naming(creation, names, { n, isSigned }),
      ),
    }),
  )

  /** What decisions see of an intent: that many states are alike to them is what makes exploring quick. */
  const seenOf = kept((source: number) => {
    const { intent, time } = sources.at(source)
    if (intent === null) return null
    const { createdAt } = intent
    const isOver = time >= createdAt + place.auctionDuration
    const seen = { ...intent, asked: false, revealed: false, isHonest: true, fillDeadline: 0 }
    return { intent: intents.idOf(seen), time: isOver ? 10_000 : time - createdAt < 20 ? 0 : 20 }
  })

  const namings = kept(
    (intent: number, time: number, keyring: KeyringName, isRegistered: string) => {
      const at = intents.at(intent)
      const seen = { intent: { ...at, createdAt: 0 }, time: time, revoked: {} }
      const carried = carriedFor(at.creation, isRegistered)
      return signNamings(deciding, KEYRINGS[keyring], seen, carried).map((one) =>
        unsigned.idOf(one),
      )
    },
  )

  const reveals = kept((intent: number, keyring: KeyringName, isRegistered: string) => {
    const at = intents.at(intent)
    const carried = carriedFor(at.creation, isRegistered)
    const revealed = tell(deciding, KEYRINGS[keyring], at, carried)
    if (revealed === null) return []
    const { fillDeadline } = at
    return [
      unsigned.idOf({ kind: 'reveal', ...aboutWinner(catalogue, at), revealed, fillDeadline }),
    ]
  })

  const attestations = kept(
    (intent: number, destination: number, keyring: KeyringName, isRegistered: string) => {
      const at = intents.at(intent)
      const carried = carriedFor(at.creation, isRegistered)
      const shown = destinations.at(destination)
      return attest(deciding, KEYRINGS[keyring], at, shown, carried).map((one) =>
        unsigned.idOf(one),
      )
    },
  )

  const signedAs = kept((content: number, signer: KeyName) =>
    messages.idOf({ ...unsigned.at(content), signer } as Message),
  )

  const rogueMessages = kept((intent: number) =>
    world.rogues.flatMap((signer) =>
      rogueWords(catalogue, signer, intents.at(intent)).map((one) => messages.idOf(one)),
    ),
  )

  function start(): State {
    const around: Surroundings = {
      ...{ isBobRegistered: false, isRootRotated: false, isAttesterPromoted: false },
      left: world.budget,
    }
    return {
      source: [sources.idOf({ time: 0, intent: null, revoked: {} })],
      destination: [destinations.idOf({ time: 0, deliveries: {} })],
      ...{ messages: [], revealed: [], deep: [], around },
    }
  }

  /** What follows from an action. Throws Refused where a contract takes no such call. */
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

  /** Has every enclave sign whatever it would, and forgets what can't count any more. */
  function sign(state: State): State {
    const deep = deepIntents(state)
    const registered = `${state.around.isBobRegistered}`
    const all = new Set(state.messages)
    const shown = below(state.destination, rules.enclave.depth.destination)
    for (const enclave of world.enclaves) {
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
    if (world.quorum > 1)
      for (const id of deep.flatMap((intent) => rogueMessages(intent))) all.add(id)
    const counting = [...all].filter((id) => state.source.some((block) => isAbout(id, block)))
    const signed = { ...state, deep, messages: counting.toSorted((one, other) => one - other) }
    return { ...signed, revealed: revealedOf(signed) }
  }

  /** Picked up intents that are deep enough to tell and attest by, or were. */
  function deepIntents(state: State): readonly number[] {
    const final = sources.at(state.source[0]!).intent
    if (final !== null && final.phase !== 'open' && final.phase !== 'deposited') return []
    const at = below(state.source, rules.enclave.depth.source)
    const intent = at === null ? null : sources.at(at).intent
    if (intent?.phase !== 'deposited') return state.deep
    const id = intents.idOf({ ...intent, asked: false, revealed: false })
    return state.deep.includes(id) ? state.deep : [...state.deep, id].toSorted((a, b) => a - b)
  }

  /** The newest block with so many on top of it. */
  function below(chain: readonly number[], depth: number | null): number | null {
    return chain[chain.length - 1 - (depth ?? confirmations)] ?? null
  }

  const isAbout = kept((message: number, source: number) => {
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

  /** What enough keys have signed, each of another operator, that count for the intent as it is. */
  function signedBy<Kind extends QuorumKind>(state: State, kind: Kind): Signed<Kind>[] {
    const { revoked } = headOf(state)
    const isLast = (id: number) => revoked[messages.at(id).signer] !== undefined
    const groups = new Map<string, { content: Content<Kind>; signers: KeyName[] }>()
    // Where an operator has two keys, the one that isn't revoked goes first.
    for (const id of state.messages.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      const message = messages.at(id)
      if (message.kind !== kind) continue
      const { kind: _, signer, ...content } = message
      if (world.quorum === 1 && revoked[signer] !== undefined) continue
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
    return distinct.length < world.quorum ? null : distinct.slice(0, world.quorum)
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
    ...{ world, rules, bridge, catalogue, start, after, signedBy, headOf, destinationHead },
    /** The newest block that no reorg takes back; null where the window has only just been cut. */
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
  name: World['enclaves'][number],
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
