import { chainIdOf } from '../../../core/chain/names.ts'
import { textScalar } from './textScalar.ts'

/** A chain by its id or its protocol name; a decimal string going out, a number inside. */
export const chainIdScalar = textScalar<number>({
  name: 'ChainId',
  expected: 'a chain id such as "84532" or a chain name such as "base_sepolia"',
  integers: true,
  serialize: String,
  parse: (text) => (/^\d+$/.test(text) ? idOf(text) : chainIdOf(text)),
})

function idOf(text: string): number | null {
  const id = Number(text)
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
