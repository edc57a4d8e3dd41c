-- Enters a guard; the script that writes follows, with the keys and arguments after these.
-- KEYS[1] the newest token that was seen
-- ARGV[1] the token that is presented
-- Reply that of what follows, or the error STALE with the newest token
do
  -- Tokens are compared as texts of digits: as numbers of Lua, big ones would be rounded.
  local newest, presented = redis.call('GET', KEYS[1]) or '0', ARGV[1]
  if #newest > #presented or (#newest == #presented and newest > presented) then
    return redis.error_reply('STALE ' .. newest)
  end
  if newest ~= presented then redis.call('SET', KEYS[1], presented) end
end
table.remove(KEYS, 1)
table.remove(ARGV, 1)
