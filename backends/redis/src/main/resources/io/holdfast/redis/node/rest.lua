-- The node gives no vote for so long: its clock was set, and votes may have ended early.
-- KEYS[1] record, see prologue.lua
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] for how long at least, in ms: no less than the longest lease that the node was told of
-- Reply {1 if it is a member, us}
if not member then return {0, int(us)} end
redis.call('HSET', KEYS[1], 'rest', int(math.max(rest, ms + math.max(longest, tonumber(ARGV[2])))))
return {1, int(us)}
