export {
  hashNaming as namingHash,
  type Naming,
  storeRecipientsMessage,
} from '../../core/bundle/recipientNaming.ts'
