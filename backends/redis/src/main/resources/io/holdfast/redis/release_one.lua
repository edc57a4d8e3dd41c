-- Ends an exclusive hold and tells nobody: while a slot migrates, a script may touch one key only.
-- KEYS[1] lock
-- ARGV[1] holder
-- Reply {1 if it held the lock, us}
local time = redis.call('TIME')
local held = redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
return {held, string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))}
