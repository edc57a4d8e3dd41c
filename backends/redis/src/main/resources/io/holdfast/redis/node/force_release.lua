-- Takes the vote back from a holder, and tells it, and who waits.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock
-- KEYS[3] callers
-- KEYS[4] reserved
-- KEYS[5] forced: sorted set, holder -> until when its renewals are told that it was ended by force
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] its channel
-- ARGV[4] the lock's name
-- ARGV[5] reason
-- Reply {1 if it had the vote, us}
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return {0, int(us)} end
local remaining = math.max(1, redis.call('PTTL', KEYS[2]))
redis.call('DEL', KEYS[2])
redis.call('ZADD', KEYS[5], int(ms + remaining), ARGV[2])
if redis.call('PTTL', KEYS[5]) < remaining then redis.call('PEXPIRE', KEYS[5], remaining) end
redis.pcall('PUBLISH', ARGV[3], 'forced ' .. ARGV[2] .. ' ' .. ARGV[5])
announce(KEYS[3], KEYS[4], ARGV[4])
return {1, int(us)}
