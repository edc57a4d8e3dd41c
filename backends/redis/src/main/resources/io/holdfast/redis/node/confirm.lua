-- Raises the count of a lock to a token, for the holder of the vote only.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock
-- KEYS[3] fence
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] token
-- ARGV[4] epoch with which the vote was given
-- Reply {1 if it is confirmed, us}
local token = tonumber(ARGV[3])
if not member or epoch ~= ARGV[4] or redis.call('GET', KEYS[2]) ~= ARGV[2] then return {0, int(us)} end
local last, owner, purpose = string.match(redis.call('GET', KEYS[3]) or '', '^%d+ (%d+) (%S+) ?(.*)$')
if last and tonumber(last) > token then return {0, int(us)} end
local remaining = redis.call('PTTL', KEYS[2])
remember(KEYS[3], token, math.max(0, remaining), ARGV[2], owner == ARGV[2] and purpose or '')
return {1, int(us)}
