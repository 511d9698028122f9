import type { ChainEventArgs, ChainEventType } from './chainEvent.ts'
import { EVENT_FIELDS, type FieldKind } from './eventFields.ts'

/** Arguments as the column `event.args` holds them: integers as decimal strings, hex in lower case. */
export type JsonArgs = Record<string, string>

/** Arguments of an event as JSON that loses nothing. Inverse of `argsFromJson`. */
export function argsToJson<Type extends ChainEventType>(
  type: Type,
  args: ChainEventArgs[Type],
): JsonArgs {
  const json: JsonArgs = {}
  const values = args as Record<string, bigint | number | string>
  for (const { name } of EVENT_FIELDS[type]) json[name] = String(values[name])
  return json
}

/**
 * Arguments of an event from the JSON of its row.
 * Throws a TypeError when an argument is missing: such a row was written by something else.
 */
export function argsFromJson<Type extends ChainEventType>(
  type: Type,
  json: JsonArgs,
): ChainEventArgs[Type] {
  const args: Record<string, bigint | number | string> = {}
  for (const { name, kind } of EVENT_FIELDS[type]) {
    const text = json[name]
    if (typeof text !== 'string') throw new TypeError(`${type}.${name} is missing from its row`)
    args[name] = parse(kind, text)
  }
  return args as ChainEventArgs[Type]
}

function parse(kind: FieldKind, text: string): bigint | number | string {
  if (kind === 'bigint') return BigInt(text)
  return kind === 'number' ? Number(text) : text
}
