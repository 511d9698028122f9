-- Who shall receive, as the sender told us. Never in clear: `sealed` is the very recovery blob that is
-- or will be on chain, so that losing these rows loses nothing (docs/relayer-api.md).

create table app.bundle (
  source_chain_id   bigint not null,
  intent_id         numeric(78, 0) not null,
  -- 512·n bytes: made by the enclave, or the blob of IntentCreated itself.
  sealed            bytea not null check (length(sealed) > 0 and length(sealed) % 512 = 0),
  -- 250 plain recipients only, 700 with a shielded one among them.
  fee_bps           integer not null check (fee_bps in (250, 700)),
  -- How the recipients came to us: attached to the creation, encrypted, or in clear. An attached blob is
  -- `sealed` as it is, unless a recipient was replaced by its Safe.
  origin            text not null check (origin in ('blob', 'encrypted', 'plaintext')),
  -- SHA-256 of the ciphertext that the sender sent (of the blob's own, for a blob); null for plaintext.
  ciphertext_digest bytea check (length(ciphertext_digest) = 32),
  -- Unix seconds, as sealed inside the blob.
  stored_at         bigint not null,
  primary key (source_chain_id, intent_id)
);

-- What was done with a bundle. It need not survive: the chain tells what was anchored.
create table app.bundle_handling (
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  -- Handed over to be anchored: from then on a replacement has to be appended on chain.
  anchoring_at    timestamptz,
  -- Bundles that were compared with the stored one and differed. Beyond a few, nothing is compared any
  -- more: whoever guesses at recipients would learn from the answer that a guess is right.
  mismatches      integer not null default 0,
  primary key (source_chain_id, intent_id)
);

-- One ciphertext, and one ephemeral key, serve one intent: somebody who copies a ciphertext onto an
-- intent of their own would otherwise have it opened for them.
create table app.used_ciphertext (
  -- SHA-256 of the ciphertext, or of the ephemeral public key at its front.
  digest          bytea primary key check (length(digest) = 32),
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null
);
create index used_ciphertext_intent on app.used_ciphertext (source_chain_id, intent_id);

-- Blobs that go on chain after the anchor, by `appendBlob`: recipients that replace the anchored ones, in
-- force if the blob is on chain before the deposit; metadata and viewers.
create table app.appended_blob (
  sequence        bigint generated always as identity,
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  -- SHA-256 of `sealed`.
  digest          bytea not null check (length(digest) = 32),
  sealed          bytea not null check (length(sealed) > 0 and length(sealed) % 512 = 0),
  purpose         text not null check (purpose in ('bundle', 'metadata')),
  -- Unix seconds, as sealed inside the blob.
  stored_at       bigint not null,
  primary key (source_chain_id, intent_id, digest)
);
-- Metadata can't be changed once it is there.
create unique index appended_blob_metadata
  on app.appended_blob (source_chain_id, intent_id) where purpose = 'metadata';

-- Bundles that an operator removed.
create table app.bundle_deletion (
  id              bigint generated always as identity primary key,
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  -- First 8 hex digits of the SHA-256 of the admin token that was used.
  token_id        text not null,
  request_id      text not null,
  deleted_at      timestamptz not null default now()
);
create index bundle_deletion_intent on app.bundle_deletion (source_chain_id, intent_id);
