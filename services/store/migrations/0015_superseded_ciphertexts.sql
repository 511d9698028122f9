-- A ciphertext whose bundle its sender has replaced. It serves no more, also not the intent it was made
-- for: whoever sends the sender's old signed request again brings nothing back.
alter table app.used_ciphertext add column superseded boolean not null default false;
