-- The Safes that are read with their chain, among hundreds of thousands that are quiet.
create index followed_safe_awake on app.followed_safe (chain_id) where not is_quiet;
