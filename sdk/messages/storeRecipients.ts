export { type Naming, namingHash, storeRecipientsMessage } from '../../core/bundle/namingHash.ts'
