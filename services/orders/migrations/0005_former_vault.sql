-- Vaults that were served once and aren't configured any more, with the orders that were open when their copy was last read:
-- the copy itself goes when a chain gets another vault.
create table orders.former_vault (
  chain_id bigint not null,
  vault text not null,
  block_number bigint not null,
  open_orders bigint not null,
  primary key (chain_id, vault)
);
