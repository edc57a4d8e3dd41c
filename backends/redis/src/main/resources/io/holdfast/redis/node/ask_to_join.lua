-- Announces that the node is about to join. The ticket is lost with the rest of the data, if that is lost again.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] joining: string, the ticket
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] ticket: the caller's process, a slash, and what it never used before
-- ARGV[3] for how many ms it is good
-- Reply {1 if the ticket is the caller's, us}
if member then return {0, int(us)} end
local known = redis.call('GET', KEYS[2])
if known and string.match(known, '^[^/]+') ~= string.match(ARGV[2], '^[^/]+') then return {0, int(us)} end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return {1, int(us)}
