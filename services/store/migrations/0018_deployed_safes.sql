-- Safes are looked for on their chains no more once nothing but a reorg of unusual depth could take them away.
alter table app.stealth_entry
  -- The Safe's code was there as many blocks ago as its chain's configuration waits for.
  add column deployed_for_good boolean not null default false,
  -- The transaction that deployed it, where that was found, as deep in the chain.
  add column deployment_tx_hash bytea check (length(deployment_tx_hash) = 32);
