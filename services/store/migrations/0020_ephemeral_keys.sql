-- A ciphertext begins with its ephemeral key: whoever finds the key unused needn't look for the ciphertext.
-- Digests of ciphertexts that are left over, of bundles since replaced, match nothing and harm nobody.
delete from app.used_ciphertext u using app.bundle b where u.digest = b.ciphertext_digest;
alter table app.used_ciphertext rename column digest to ephemeral_key_digest;
comment on column app.used_ciphertext.ephemeral_key_digest is
  'SHA-256 of the ephemeral public key at the front of the ciphertext';
