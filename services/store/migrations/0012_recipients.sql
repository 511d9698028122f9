-- Recipients, the Safes that were made out for them, and what the relayer paid for these. A wallet is
-- nowhere in the clear: whoever reads these tables must not learn who was paid. Addresses are in lower
-- case, amounts and ids numeric(78,0).

-- Wallets that want to be paid at fresh Safes. A registration of a wallet that was paid comes back by
-- recovery; any other by the wallet's next one, with the same keys.
create table app.recipient (
  -- The enclave's keyed hash of the wallet: the same wallet has the same tag. A wallet that is a contract
  -- is another recipient on each chain, since others may control its address there.
  tag           bytea primary key check (length(tag) = 32),
  -- Uncompressed.
  spend_pub_key bytea not null check (length(spend_pub_key) = 65),
  view_pub_key  bytea not null check (length(view_pub_key) = 65),
  registered_at timestamptz not null default now()
);

-- One stealth address for each (recipient, chain, intent), and the Safe that it alone owns. More than one
-- only where an intent pays a wallet more than once, or strangers asked for one.
create table app.stealth_entry (
  id                bigint generated always as identity primary key,
  -- As in app.recipient.
  tag               bytea not null check (length(tag) = 32),
  -- Where the money arrives.
  chain_id          bigint not null,
  intent_id         numeric(78, 0) not null,
  -- Which of the deliveries of one intent to one recipient.
  delivery_index    integer not null default 0 check (delivery_index between 0 and 65535),
  stealth_address   text not null check (stealth_address ~ '^0x[0-9a-f]{40}$'),
  -- Uncompressed.
  ephemeral_pub_key bytea not null check (length(ephemeral_pub_key) = 65),
  -- First byte of the hashed shared secret (ERC-5564).
  view_tag          smallint not null check (view_tag between 0 and 255),
  safe_address      text not null check (safe_address ~ '^0x[0-9a-f]{40}$'),
  salt_nonce        numeric(78, 0) not null,
  -- The delivery with its wallet, sealed by the enclave for itself.
  ticket            bytea not null,
  -- Keyed hash of a caller without a signature that asked for it; null for everybody else.
  asked_by          bytea check (length(asked_by) = 32),
  -- Unix seconds: when the intent's bundle was stored, or the address asked for.
  created_at        bigint not null,
  -- When the Safe's code was last seen on the chain; null: never.
  deployed_seen_at  timestamptz,
  unique (tag, chain_id, intent_id, delivery_index),
  unique (chain_id, safe_address)
);
create index stealth_entry_stealth on app.stealth_entry (stealth_address);
create index stealth_entry_intent on app.stealth_entry (intent_id, chain_id);

-- Transactions that the relayer pays for a Safe's owner.
create table app.sponsored_transaction (
  transaction_id bigint primary key references app.transaction on delete cascade,
  kind           text not null check (kind in ('deploySafe', 'relaySafe')),
  chain_id       bigint not null,
  safe_address   text not null check (safe_address ~ '^0x[0-9a-f]{40}$'),
  -- Of a relay: the Safe's nonce, and the hash that its owner signed.
  safe_nonce     numeric(78, 0),
  safe_tx_hash   bytea check (length(safe_tx_hash) = 32),
  -- Wei that it may cost at most, and that it did cost; null until that is known.
  reserved_wei   numeric(78, 0) not null,
  spent_wei      numeric(78, 0),
  requested_at   timestamptz not null default clock_timestamp()
);
create index sponsored_transaction_safe
  on app.sponsored_transaction (chain_id, safe_address, requested_at);
create index sponsored_transaction_day on app.sponsored_transaction (chain_id, requested_at);

-- What each client had paid for on a day. Tells of no Safe, and is of no use the day after.
create table app.sponsored_client (
  day    date not null,
  -- SHA-256 over the day and the client's network address.
  client bytea not null check (length(client) = 32),
  count  integer not null,
  primary key (day, client)
);
