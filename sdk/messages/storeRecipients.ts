export { type Naming, namingHash, storeRecipientsMessage } from '../../core/bundle/naming.ts'
