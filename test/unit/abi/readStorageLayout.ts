import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Where a variable or a struct's member is: its slot, counted from the start, and bits of it. */
type StoragePlace = {
  name: string
  slot: number
  /** From the low bits up. */
  offsetBits: number
  bits: number
  /** As in Solidity: `mapping(uint256 => Record)`. */
  type: string
}

/** The part of a contract's storage that is proven from outside. */
type StorageLayout = {
  variables: StoragePlace[]
  /** Members of the structs in it, by the struct's name. */
  structs: Record<string, StoragePlace[]>
}

/** The first base contract of each holds only what is proven. */
export const provenVariables = {
  BridgeIntentV2: ['_records', '_sealingKeys', '_deliveries', '_tokens', '_destinations'],
  EnclaveKeyRegistry: ['_keys', '_removals', '_operators', '_operatorCount'],
  OrderVault: ['_orders', '_credits', '_usedMessages'],
} as const

export type ProvenContract = keyof typeof provenVariables

type CompiledVariable = { label: string; slot: string; offset: number; type: string }
type CompiledType = { label: string; numberOfBytes: string; members?: CompiledVariable[] }
type CompiledLayout = { storage: CompiledVariable[]; types: Record<string, CompiledType> }

const out = fileURLToPath(new URL('../../../contracts/out', import.meta.url))

/** What the compiler says about the proven part of a contract's storage; compile first. */
export async function readStorageLayout(contract: ProvenContract): Promise<StorageLayout> {
  const text = await readFile(`${out}/${contract}.sol/${contract}.json`, 'utf8')
  const { storage, types } = JSON.parse(text).storageLayout as CompiledLayout
  const placeOf = ({ label, slot, offset, type }: CompiledVariable): StoragePlace => ({
    name: label,
    slot: Number(slot),
    offsetBits: offset * 8,
    bits: Number(types[type]!.numberOfBytes) * 8,
    type: withoutScopes(types[type]!.label),
  })
  const requested: readonly string[] = provenVariables[contract]
  const variables = storage.filter(({ label }) => requested.includes(label))
  const used = variables.map(({ type }) => type).join()
  const structs = Object.entries(types).filter(
    ([id, { members }]) => members !== undefined && used.includes(id),
  )
  return {
    variables: variables.map(placeOf),
    structs: Object.fromEntries(
      structs.map(([, { label, members }]) => [withoutScopes(label), members!.map(placeOf)]),
    ),
  }
}

/** `struct BridgeStorage.Record` → `Record`. */
function withoutScopes(type: string): string {
  return type.replace(/\b(?:struct|enum|contract) (?:\w+\.)?/g, '')
}
