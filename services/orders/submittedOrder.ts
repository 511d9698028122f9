import type { Hex } from '../../src/event/bridgeEvent.ts'

/** What an owner sends: the order as ciphertext, and the message that it signed. */
export type Submitted = { encrypted: Hex; message: string; signature: Hex }
