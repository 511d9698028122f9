-- What vaults and bridges said of orders, up to a final block: a copy that makes starts quick. All of it
-- comes back from the chains.
create table orders.event (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  type text not null,
  point jsonb not null,
  args jsonb not null,
  primary key (chain_id, block_number, log_index)
);

-- Up to where. Another contract or another block there: the copy is of another history.
create table orders.cursor (
  chain_id bigint primary key,
  contracts text not null,
  block_number bigint not null,
  block_hash text not null
);

-- Orders that were refused: the same ciphertext must not be funded later, when there happens to be an
-- allowance again. Requests lapse by themselves within ten minutes; this also refuses their repetition.
create table orders.refused (
  order_id text primary key,
  code text not null,
  refused_at timestamptz not null default clock_timestamp()
);

-- On test networks in compat: messages that ended an order. They needn't name it, so each is good once.
create table orders.used_message (
  signer text not null,
  digest text not null,
  order_id text not null,
  primary key (signer, digest)
);
