-- Indexes for reads of tables that only grow: without them, each would read years of rows.

-- The account's highest confirmed nonce, read whenever its sender begins, and the bridge of its latest call.
create index transaction_ended on app.transaction (account, chain_id, nonce)
  where tx_hash is not null and state in ('confirmed', 'failed', 'superseded');

-- What waits or was refused, and what was done lately, for the metrics.
create index reaction_open on app.reaction (kind, state) where state <> 'done';
create index reaction_done on app.reaction (done_at) where state = 'done';

-- The journal's oldest lines are deleted every hour, and their deliveries with them.
create index push_event_age on app.push_event (source_chain_id, at);
create index webhook_delivery_event on app.webhook_delivery (sequence);

-- Wallets cost nothing, and each may leave disabled webhooks behind.
create index webhook_endpoint_active on app.webhook_endpoint (created_at, endpoint_id)
  where status = 'active';
create index webhook_endpoint_disabled on app.webhook_endpoint (created_at)
  where status = 'disabled';
