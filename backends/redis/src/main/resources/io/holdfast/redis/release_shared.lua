-- Ends a shared hold or permits and tells nobody: while a slot migrates, a script may touch only keys that are there.
-- KEYS[1] lock
-- KEYS[2] holders
-- KEYS[3] weights
-- ARGV[1] holder
-- Reply {1 if it held the lock, us}
local time = redis.call('TIME')
local current = redis.call('GET', KEYS[1])
local kept = current and string.sub(current, 1, 9) == 'holdfast:' and redis.call('HGET', KEYS[3], ARGV[1])
if kept then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1])
  redis.call('HINCRBY', KEYS[3], '=', '-' .. string.match(kept, '^%d+'))
  local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  for _, key in ipairs(KEYS) do
    if last then redis.call('PEXPIREAT', key, last) else redis.call('DEL', key) end
  end
end
return {kept and 1 or 0, string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))}
