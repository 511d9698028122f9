-- The enclave key that this database's bundles are sealed to. One row: a start with another key stops.

create table app.enclave_binding (
  sole       boolean primary key default true check (sole),
  -- First 4 bytes of keccak256 of the public key.
  key_id     bytea not null check (length(key_id) = 4),
  -- Uncompressed.
  public_key bytea not null check (length(public_key) = 65),
  bound_at   timestamptz not null default now()
);
