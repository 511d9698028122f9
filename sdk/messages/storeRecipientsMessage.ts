export {
  hashNaming as namingHash,
  type Naming,
  storeRecipientsMessage,
} from '../../core/recipientBundle/storeRecipientsMessage.ts'
