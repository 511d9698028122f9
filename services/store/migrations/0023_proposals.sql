-- Recipients count by what the chain holds and an enclave proves; what lies here is only on its way there.
-- No row decides about money: an enclave believes proofs alone.
drop table app.bundle, app.bundle_handling, app.used_ciphertext, app.appended_blob;

-- The latest bundle that somebody has sent for an intent, sealed by the enclave to itself, and to be put on
-- chain with the anchor or after it. Who signs is inside. `params_hash` tells the creation: one that a
-- reorg takes the id away from leaves its row behind, and nobody looks at it.
create table app.bundle (
  source_chain_id   bigint not null,
  intent_id         numeric(78, 0) not null,
  params_hash       bytea not null check (length(params_hash) = 32),
  -- The sender's own numbering: only a higher one takes its place.
  n                 bigint not null check (n >= 0),
  -- Whether the sender's signature is in it.
  is_signed         boolean not null,
  sealed            bytea not null check (length(sealed) > 0 and length(sealed) % 512 = 0),
  -- SHA-256 of the ciphertext that it came in; null for plaintext.
  ciphertext_digest bytea check (length(ciphertext_digest) = 32),
  -- Two different ones came without a signature: neither is anchored until the sender signs.
  is_disputed       boolean not null default false,
  -- Unix seconds by our clock.
  stored_at         bigint not null,
  primary key (source_chain_id, intent_id, params_hash)
);

-- How many unsigned bundles were compared with what is stored or on chain for a creation, and differed.
-- Beyond a few, nothing is compared any more: whoever guesses at recipients would learn from the answer
-- that a guess is right.
create table app.comparison (
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  params_hash     bytea not null check (length(params_hash) = 32),
  mismatches      integer not null,
  primary key (source_chain_id, intent_id, params_hash)
);

-- One ciphertext, by the ephemeral key at its front, serves one intent: somebody who copies a ciphertext
-- onto an intent of their own would otherwise have it opened for them.
create table app.used_ciphertext (
  -- SHA-256 of the ephemeral public key.
  ephemeral_key_digest bytea primary key check (length(ephemeral_key_digest) = 32),
  source_chain_id      bigint not null,
  intent_id            numeric(78, 0) not null,
  params_hash          bytea not null check (length(params_hash) = 32)
);
create index used_ciphertext_intent on app.used_ciphertext (source_chain_id, intent_id);

-- What enclaves have signed about an intent, the latest of each kind, with all that a call needs: whoever
-- pays the gas may send it. Nothing in it is secret: blobs and recipients are sealed.
create table app.signed (
  kind            text not null check (kind in ('anchor', 'append', 'reveal', 'settle', 'undelivered')),
  source_chain_id bigint not null,
  intent_id       numeric(78, 0) not null,
  params_hash     bytea not null check (length(params_hash) = 32),
  -- SHA-256 of the bundle that an anchor or append carries; null when it carries none of app.bundle.
  proposal_digest bytea check (length(proposal_digest) = 32),
  message         jsonb not null,
  -- The blob of an anchor or append, the sealed recipients of a reveal; null for the others.
  bytes           bytea,
  -- Sorted by signer.
  signatures      text[] not null,
  signers         text[] not null,
  signed_at       timestamptz not null default clock_timestamp(),
  primary key (kind, source_chain_id, intent_id)
);

-- Storage proofs, fetched while their block was fresh and kept until it is deep enough.
create table app.evidence (
  chain_id     bigint not null,
  -- `intent:<id>` on a source chain, `delivery:<key>` on a destination.
  subject      text not null,
  block_number bigint not null,
  document     jsonb not null,
  fetched_at   timestamptz not null default clock_timestamp(),
  primary key (chain_id, subject)
);
create index evidence_age on app.evidence (fetched_at);

-- By this the enclave sees for itself that a wallet is registered.
alter table app.recipient add column ticket bytea;

-- Asked for in other words from now on.
delete from app.reaction;
delete from app.transaction where kind in ('anchor', 'append', 'settle', 'refund')
  and state in ('confirmed', 'failed', 'superseded');
