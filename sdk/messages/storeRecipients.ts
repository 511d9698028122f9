import type { Naming, NamingFor } from '../../core/bundle/naming.ts'

export { type Naming, namingHash, storeRecipientsMessage } from '../../core/bundle/naming.ts'

/** The recipients that an intent's sender names, and the intent. */
export type NamedRecipients = NamingFor & Naming
