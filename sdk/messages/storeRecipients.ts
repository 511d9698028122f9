import type { Naming, NamingFor } from '../../core/bundle/naming.ts'

export { type Naming, namingHash, storeRecipientsMessage } from '../../core/bundle/naming.ts'

/** Whom an intent's sender names, and for which intent. */
export type NamedRecipients = NamingFor & Naming
