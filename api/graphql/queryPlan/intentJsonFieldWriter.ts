import { type GraphQLField, getNamedType, isNonNullType } from 'graphql'
import { findChainName } from '../../../core/chain/chainNames.ts'
import type {
  IntentColumn,
  IntentParts,
  IntentText,
} from '../../../services/store/intents/listIntentsAsText.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { TABLES } from '../../../src/table/tableShapes.ts'
import { toIsoTime } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import { Unplanned } from './collectFields.ts'

/** The parts of each intent that a query needs, collected while it is planned. */
export type RequestedParts = IntentParts & {
  columns: Set<IntentColumn>
  facts: boolean
  sequence: boolean
}

export function nothingRequested(): RequestedParts {
  return { columns: new Set(), facts: false, sequence: false }
}

/** A field of `Intent` that can be written from its row's text. */
type TextField = {
  columns: readonly IntentColumn[]
  /** The value as JSON, as its scalar would have it. */
  write(text: IntentText): string
}

/** Writes a field of `Intent` from its row's text; null if the field needs more than that. */
export function findIntentJsonFieldWriter(
  definition: GraphQLField<unknown, unknown>,
): TextField | null {
  const { name, type, resolve } = definition
  if (name === 'id') return ID
  const chain = CHAIN_NAMES.get(name)
  if (chain) return chainNameField(chain)
  const column = RENAMED.get(name) ?? (resolve || !isColumn(name) ? null : name)
  const write = WRITERS.get(getNamedType(type).name)
  return column && write ? columnField(column, write, isNonNullType(type)) : null
}

const ID: TextField = {
  columns: ['sourceChainId', 'intentId'],
  write: ({ sourceChainId, intentId }) => `"Intent:${sourceChainId}:${intentId}"`,
}

const CHAIN_NAMES = new Map<string, IntentColumn>([
  ['sourceChain', 'sourceChainId'],
  ['destChain', 'destChainId'],
])

/** Fields that are columns of another name. */
const RENAMED = new Map<string, IntentColumn>([
  ['timestamp', 'createdAt'],
  ['solverAddress', 'solver'],
])

function isColumn(name: string): name is IntentColumn {
  return Object.hasOwn(TABLES.intent.columns, name)
}

const quoted = (text: string) => `"${text}"`
const plain = (text: string) => text

/** By scalar. Their columns hold digits and hex only, which JSON doesn't escape. */
const WRITERS = new Map<string, (text: string) => string>([
  ['BigInt', quoted],
  ['ChainId', quoted],
  ['Hex', quoted],
  ['Address', (text) => `"${toChecksumAddress(text as Hex)}"`],
  ['DateTime', (text) => `"${toIsoTime(Number(text))}"`],
  ['BlockNumber', plain],
  ['Int', plain],
])

function columnField(
  column: IntentColumn,
  write: (text: string) => string,
  isRequired: boolean,
): TextField {
  return {
    columns: [column],
    write: (row) => {
      const text = row[column]
      if (text != null) return write(text)
      if (isRequired) throw new Unplanned()
      return 'null'
    },
  }
}

function chainNameField(column: IntentColumn): TextField {
  return {
    columns: [column],
    write: (row) => {
      const name = findChainName(Number(row[column]))
      return name === null ? 'null' : `"${name}"`
    },
  }
}
