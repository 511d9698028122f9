-- Endpoints that fail are left alone for a while, and all others take turns.
alter table app.webhook_endpoint
  -- When its newest attempt was begun: who had none for longest is next.
  add column attempted_at timestamptz,
  -- Its last attempt failed: none is made before then. Null: it takes what comes.
  add column retry_at timestamptz;
