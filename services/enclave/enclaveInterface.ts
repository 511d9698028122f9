import type { OPERATIONS, OperationName, RequestOf, ResponseOf } from './operationSchemas.ts'

export type {
  BlobBindings,
  BlobContents,
  BlobProblem,
  BundleContents,
  IntentEvidence,
  OpenedBlob,
  OperationName,
  Replaced,
  RequestOf,
  ResponseOf,
  StorageEvidence,
} from './operationSchemas.ts'

type Operation<Name extends OperationName> = string extends keyof RequestOf<Name>
  ? () => Promise<ResponseOf<Name>>
  : (request: RequestOf<Name>) => Promise<ResponseOf<Name>>

/**
 * The narrow interface to everything that holds secrets, in the same process (`createEnclave`) or over a socket
 * (`connectEnclave`). Operations reject only with EnclaveErrors; `OPERATIONS` describes their requests and answers.
 */
export type Enclave = { [Name in keyof typeof OPERATIONS]: Operation<Name> }
